package effort

import (
	"context"
	"testing"
)

// TestLimits: steps count for all contexts that one was made of up to the next that counts
// by itself, and the first limit that they pass ends a context and no outer one.
func TestLimits(t *testing.T) {
	if Spend(context.Background(), 1) != nil || Spent(context.Background()) != 0 {
		t.Error("steps that nobody counts")
	}
	root := Counted(context.Background())
	wide, end := Limited(root, 10)
	defer end()
	narrow, end := Limited(wide, 4)
	defer end()
	apart := Counted(narrow)
	if Spend(apart, 100) != nil || Spent(apart) != 100 || Spent(narrow) != 0 {
		t.Error("steps that are counted by themselves are those of others")
	}
	if _, limited := Left(root); limited {
		t.Error("a limit that was not set")
	}
	if err := Looking(narrow, 4).Err(); err != nil {
		t.Errorf("as many steps as there may be: %v", err)
	}
	if left, limited := Left(narrow); left != 0 || !limited {
		t.Errorf("%d %v left", left, limited)
	}
	if Spend(narrow, 1) == nil || wide.Err() != nil || apart.Err() == nil {
		t.Error("a step too many")
	}
	if left, _ := Left(wide); left != 5 || Spent(root) != 5 {
		t.Errorf("%d left, %d spent", left, Spent(root))
	}
	if Spend(wide, 6) == nil || root.Err() != nil {
		t.Error("a step too many for the outer limit")
	}
}
