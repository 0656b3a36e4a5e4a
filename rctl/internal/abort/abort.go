// Package abort ends a recursion at its first error. Functions inside the recursion panic with an
// Error, and the outermost function catches it, so that no level in between has to return errors.
//
//	func (k *checker) Check(f *Formula) (err error) {
//		defer abort.Catch(&err)
//		k.formula(f) // panics with an abort.Error
//		return nil
//	}
package abort

// An Error is the value of the panic.
type Error struct{ Err error }

// Catch stores the error of a panic with an Error, and leaves other panics alone. It must be deferred.
func Catch(err *error) {
	r := recover()
	if a, ok := r.(Error); ok {
		*err = a.Err
	} else if r != nil {
		panic(r)
	}
}
