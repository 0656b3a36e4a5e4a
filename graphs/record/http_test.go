package record_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/pota-project/pota/graphs/record"
)

// service is a service that records to a file of its own.
type service struct {
	*record.Process
	recorder *record.Recorder
}

func newService(t *testing.T, dir, name string, init ...record.Assignment) service {
	r, err := record.Create(filepath.Join(dir, name+".jsonl"), record.WithFlushSends())
	if err != nil {
		t.Fatal(err)
	}
	return service{r.Process(name, init...), r}
}

// post sends a request with a token and receives the answer with its token.
func (s service) post(to, url string, before, after []record.Action) error {
	request, err := http.NewRequest(http.MethodPost, url, nil)
	if err != nil {
		return err
	}
	request.Header.Set(record.Header, string(s.Send(to, before...)))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	s.Receive(record.Token(response.Header.Get(record.Header)), after...)
	return nil
}

// TestHTTP records a shop over sockets: two customers order from a front, which
// asks a store for each item. Each service has its own log, and the directory is
// the trace.
func TestHTTP(t *testing.T) {
	dir := t.TempDir()
	store := newService(t, dir, "store", record.Set("stock", 6))
	front := newService(t, dir, "front", record.Set("sold", 0))
	customers := []service{
		newService(t, dir, "ann", record.Set("paid", false)),
		newService(t, dir, "bob", record.Set("paid", false)),
	}

	var inStore sync.Mutex
	stock := 6
	storeServer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inStore.Lock()
		defer inStore.Unlock()
		store.Receive(record.Token(r.Header.Get(record.Header)))
		stock--
		w.Header().Set(record.Header, string(store.Send("front", record.Set("stock", stock))))
	}))
	defer storeServer.Close()

	var inFront sync.Mutex
	sold := 0
	frontServer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inFront.Lock()
		defer inFront.Unlock()
		front.Receive(record.Token(r.Header.Get(record.Header)))
		sold++
		if err := front.post("store", storeServer.URL, nil, []record.Action{record.Set("sold", sold)}); err != nil {
			t.Error(err)
		}
		w.Header().Set(record.Header, string(front.Send(r.URL.Query().Get("from"))))
	}))
	defer frontServer.Close()

	var group sync.WaitGroup
	for _, c := range customers {
		group.Go(func() {
			for range 3 {
				if err := c.post("front", frontServer.URL+"?from="+c.Name(), nil, nil); err != nil {
					t.Error(err)
				}
			}
			c.Event(record.Set("paid", true))
		})
	}
	group.Wait()
	for _, s := range append(customers, front, store) {
		if err := s.recorder.Close(); err != nil {
			t.Fatal(err)
		}
	}

	c := readPath(t, dir)
	if c.NumProcesses() != 4 || c.NumMessages() != 24 || c.NumEvents() != 50 {
		t.Errorf("%d processes, %d messages, %d events", c.NumProcesses(), c.NumMessages(), c.NumEvents())
	}
	check(t, c, map[string]bool{
		"AG(stock@store >= 0)":                                      true,
		"AG(paid@ann -> sold@front >= 3)":                           true,
		"AG(paid@ann && paid@bob -> stock@store == 0)":              true,
		"AG(sold@front + stock@store <= 6)":                         true,
		"EF(sold@front + stock@store == 5)":                         true,
		"AG(sold@front + stock@store >= 5)":                         true,
		"AF(paid@ann && paid@bob)":                                  true,
		"EF(paid@ann && sold@front < 3)":                            false,
		"EF(paid@ann && !paid@bob) && EF(sold@front == 6)":          true,
		"EF(!paid@ann && !paid@bob && EF(paid@ann || paid@bob))":    true,
		"AG(sold@front == 6 -> stock@store == 0)":                   true,
		"EF(stock@store == 0 && sold@front == 5 && !paid@bob)":      true,
		"EF(stock@store == 0 && sold@front < 5)":                    false,
		"A[stock@store >= 5 U sold@front >= 0] && AG(AF(paid@bob))": true,
	})
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 4 {
		t.Error(fmt.Sprint(entries), err)
	}
}
