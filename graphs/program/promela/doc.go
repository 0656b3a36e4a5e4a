// Package promela reads models in Promela, the language of the model checker SPIN, and
// executes them: Read parses one, Compile makes a program.Program of it. Package
// translate/promela, in contrast, writes models.
//
// Definitions are those of Holzmann (The SPIN Model Checker, 2004) and of SPIN 6.5.2. Where the two
// differ, the verifier of SPIN is the reference.
//
// # Language
//
// Types are bit, bool, byte, pid, short, int, unsigned, mtype (several), chan, typedef and arrays
// of these; statements are assignments, conditions, ++ and --, sends and receives of all kinds (!,
// !!, ?, ??, ?<…>, ??<…>), if, do, else, break, goto, for, select, atomic, d_step, blocks, assert,
// printf, run and calls of inlines; expressions have all operators, c -> a : b, len, full, empty,
// nfull, nempty, c?[…], timeout, _pid and _nr_pr. The preprocessor knows #define, #undef, #ifdef,
// #ifndef, #if with a number, #else, #endif, #include and line markers. Never claims, traces and ltl
// blocks are skipped with a Note. Refused are "unless", provided, priorities, C code, and operators
// about the search (_last, enabled, pc_value, np_).
//
// # Execution
//
// The control flow of a proctype is SPIN's without its optimizations (-o1 -o2 -o3): one statement
// is one transition, a d_step is one, jumps are none, and an atomic sequence is several in a row;
// it loses control where one of them blocks. So the states that no process holds are as many as
// SPIN stores with -DNOREDUCE. Values are cut off to the type of what they are assigned to. A
// process ends if it is the youngest.
//
// What is undefined in Promela is an error of Apply: an index out of range, a division
// by zero, a d_step that blocks. After an assertion has failed, the variable failed is
// true for ever.
//
// A state has room for each process that there may be: a proctype and its pid. They are found by
// executing the model as far as it starts processes.
package promela
