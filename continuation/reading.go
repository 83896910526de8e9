// # Reading
//
// A reply is read in five steps, each a file: normalise.go folds the text,
// tokens.go splits it into words, clauses.go cuts clauses into segments,
// classes.go finds the class of a segment among the phrases of vocabulary.go,
// and verdict.go lets the first segment that means something decide and all
// the others, summed up in rest.go, weaken it (verdict_no.go for a refusal).
// grammar.go compiles the vocabularies. question.go looks at the form of the question, and
// echo.go at whether a reply repeats it. What is not known is content, and
// content never makes a yes: it makes a plain yes a [YesWithMore], or anything
// else [Unclear].
//
// Picks are read in pick.go, pick_label.go and pick_title.go; the end of an
// answer in closing.go, its form in answer.go and its lists in lists.go.
//
// To add a phrase:
//
//  1. Add the reply to a table in verdict_test.go (or pick_test.go,
//     answer_test.go), with the verdict it should get, and see it fail.
//  2. Add the phrase to the list of its class in vocabulary.go
//     (pick_vocabulary.go, answer_vocabulary.go). Write it folded: lower case,
//     no apostrophes. A place can be a role in angle brackets, "?" says that it
//     may be missing, "*" that it may repeat.
//  3. Run the tests, with IRIS_REPLIES_DIR set where there is a corpus, and
//     the fuzz targets for a minute. A phrase that makes a negated reply a yes
//     is found by FuzzComposedReply.
//
// A phrase without a case goes, and so does a rule whose removal changes no
// figure and no case. Another language is a [Lexicon], never a rule.
package continuation
