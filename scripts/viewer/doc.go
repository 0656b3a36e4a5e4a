// Package viewer tests the page of pota draw and pota serve in chromium, driven as by a person.
//
//	go test -tags browser ./scripts/viewer
//	go test -tags browser ./scripts/viewer -run TestViewer/pictures -pictures
//
// The second writes the pictures that the guides show, testdata/viewer-*.png.
package viewer
