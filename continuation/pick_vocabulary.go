package continuation

// Roles of words in a pick. They share the bits of the roles in a decision:
// each vocabulary has its own grammar.
const (
	roleFrame    role = 1 << iota // words that a pick hangs in
	roleNoun                      // what an item of a list is called, in the singular
	rolePolite                    // courtesies and openers
	roleWish                      // verbs that make a number a quantity
	roleOrdinal                   // first, second
	roleCardinal                  // one, two
	roleRevoke                    // takes a pick back
	roleSeveral                   // picks more than one
	roleDate                      // opens a date or a time
	roleJoint                     // joins two picks
	roleBefore                    // can stand before a title without belonging to it
	roleSplit                     // splits a pick from what it runs into
	roleQuery                     // makes a title the subject of a question
)

// ordinals and cardinals are in order of their value.
var (
	ordinals  = [...]string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"}
	cardinals = [...]string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
)

// pickWords holds the English words of picks. Plural nouns stay out: "give me
// 3 headlines" is a quantity.
var pickWords = []wordList{
	{roleFrame, "just go with the tell me more about from your list st nd rd th", "ADR-0106 §9: tell me more about the 4th news from your news list"},
	{roleFrame, "details detail on expand what about dig into can you open", "ADR-0106 §9: give me more details on 3"},
	{roleFrame, "to do know give elaborate summarize summary", "ADR-0106 §9: verbs that only ask for depth"},
	{roleFrame, "i ill id would like lets let us my of it is its be that this in for a an only one last could how full show read pick choose select take use try see hear good best fine better looks look sounds works get pull fetch up out explain describe think going gonna wanna prefer", "I'd like the second one"},
	{roleNoun, "option choice number item news article story link headline email message result entry topic finding answer point mail letter", "the second email; option two; finding 8"},
	{rolePolite, "please pls plz thanks thank yes yeah yep ok okay sure hmm um well oh great then and so actually alright right \U0001F44D", "ok, 2 please"},
	{roleWish, "want need have", "I need 4 is a quantity"},
	{roleOrdinal, "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth", "the second one"},
	{roleCardinal, "one two three four five six seven eight nine ten eleven twelve", "option two"},
	{roleRevoke, "no not none never nope neither nor dont doesnt didnt isnt wont cant without except but wait hold than instead nothing anything cancel hate avoid t", "not 2; none of them; anything but 2"},
	{roleSeveral, "both all either every each or other another", "both; all of them"},
	{roleDate, "on at by for in", "on the 5th is a date"},
	{roleBefore, "some any like likes love enjoy prefer want need choose find look looking search for with see check checking called named eat try take go going to the a an my your me in on of is be book do does rather show and or but well just is was be interested mood craving at up that this those these it us get by from into about i would think say am im play use only open read pick select keep please yes yeah ok okay sure hmm um oh great then so actually", "I think Latin American is not American"},
	{roleSplit, "and but then because so", "option 2 but rename it"},
	{roleQuery, "what which how why where when who is are does did was whats", "is Italian any good?"},
	{roleJoint, "and or then also plus to", "1, then 2"},
}
