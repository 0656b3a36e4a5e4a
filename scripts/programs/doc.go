// Package programs compares pota check with SPIN on the models of the BEEM suite.
//
//	go test -timeout 0 -v ./scripts/programs -run TestTable -args -models MODELS
//	go test -timeout 0 -v ./scripts/programs -run TestAgree -args -models MODELS
//
// The first prints Table 1 of Kashyap and Garg anew, the second compares verdicts on -n random
// formulas; -seed and -from go on where a run of it ended. Both fail where verdicts differ, and
// are skipped without -models, a folder of models. Seconds are of the processor, of all programs
// that are run, compilers included. States are those stored. Steps of a trail are those of
// processes; those of a claim are not counted.
package programs
