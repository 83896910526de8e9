package continuation

// The languages that an application can add to a [Reader]. Each is at most
// sixty entries. What means yes to one speaker and no to another is left out:
// the Japanese "ii desu", the Greek "ne" in Latin letters, the Slavic "da"
// outside its own script.

// Spanish reads whole messages in Spanish.
var Spanish = Lexicon{
	Tag:           "es",
	Yes:           []string{"sí", "claro", "claro que sí", "por supuesto", "vale", "de acuerdo", "adelante", "correcto", "hazlo", "confirmo", "dale", "perfecto"},
	No:            []string{"no", "nunca", "ahora no", "todavía no", "para nada", "de ninguna manera", "no quiero", "no lo hagas", "cancela", "mejor no", "más tarde", "no hace falta"},
	Fillers:       []string{"por favor", "gracias", "muchas gracias"},
	Ordinals:      []string{"primero|primera|el primero|la primera", "segundo|segunda|el segundo|la segunda", "tercero|tercera|el tercero|la tercera", "cuarto|cuarta|el cuarto|la cuarta", "quinto|quinta|el quinto|la quinta"},
	QuestionWords: []string{"cuál", "cuáles", "cuándo", "dónde", "quién", "cómo", "cuánto", "cuántos", "por qué", "o", "u"},
	YesNoForms:    []string{"quieres que", "quiere que", "te gustaría", "le gustaría", "debo", "puedo", "procedo", "es correcto", "está bien"},
}

// French reads whole messages in French.
var French = Lexicon{
	Tag:           "fr",
	Yes:           []string{"oui", "ouais", "bien sûr", "d'accord", "vas y", "allez y", "exactement", "je confirme", "tout à fait", "parfait", "volontiers", "oui oui"},
	No:            []string{"non", "pas maintenant", "pas encore", "jamais", "pas du tout", "surtout pas", "annule", "annulez", "plus tard", "non non", "je ne veux pas", "pas besoin"},
	Fillers:       []string{"merci", "merci beaucoup", "s'il te plaît", "s'il vous plaît", "svp", "stp"},
	Ordinals:      []string{"premier|première|le premier|la première", "deuxième|second|seconde|le deuxième|la deuxième|le second|la seconde", "troisième|le troisième|la troisième", "quatrième|le quatrième|la quatrième", "cinquième|le cinquième|la cinquième"},
	QuestionWords: []string{"quel", "quelle", "quels", "quelles", "quand", "où", "qui", "comment", "combien", "pourquoi", "lequel", "laquelle", "ou"},
	YesNoForms:    []string{"voulez-vous", "veux-tu", "souhaitez-vous", "souhaites-tu", "dois-je", "puis-je", "est-ce correct", "on continue"},
}

// German reads whole messages in German.
var German = Lexicon{
	Tag:           "de",
	Yes:           []string{"ja", "jawohl", "klar", "na klar", "gerne", "natürlich", "genau", "einverstanden", "mach das", "mach es", "stimmt", "passt", "ja gerne", "in ordnung"},
	No:            []string{"nein", "nee", "nö", "nicht jetzt", "noch nicht", "auf keinen fall", "niemals", "lieber nicht", "stopp", "abbrechen", "später", "nein nein", "bitte nicht"},
	Fillers:       []string{"bitte", "danke", "vielen dank", "danke schön"},
	Ordinals:      []string{"erste|erster|erstes|der erste|die erste|das erste", "zweite|zweiter|zweites|der zweite|die zweite|das zweite", "dritte|der dritte|die dritte|das dritte", "vierte|der vierte|die vierte|das vierte", "fünfte|der fünfte|die fünfte|das fünfte"},
	QuestionWords: []string{"was", "wann", "wo", "wer", "wie", "warum", "welche", "welcher", "welches", "welchen", "oder"},
	YesNoForms:    []string{"soll ich", "möchtest du", "möchten sie", "willst du", "darf ich", "ist das richtig", "passt das"},
}

// Portuguese reads whole messages in Portuguese.
var Portuguese = Lexicon{
	Tag:           "pt",
	Yes:           []string{"sim", "claro", "claro que sim", "com certeza", "pode ser", "pode", "isso", "correto", "certo", "confirmo", "vai em frente", "de acordo"},
	No:            []string{"não", "agora não", "ainda não", "nunca", "de jeito nenhum", "melhor não", "não quero", "cancela", "cancelar", "mais tarde", "não precisa", "nem pensar"},
	Fillers:       []string{"por favor", "obrigado", "obrigada", "muito obrigado"},
	Ordinals:      []string{"primeiro|primeira|o primeiro|a primeira", "segundo|segunda|o segundo|a segunda", "terceiro|terceira|o terceiro|a terceira", "quarto|quarta|o quarto|a quarta", "quinto|quinta|o quinto|a quinta"},
	QuestionWords: []string{"qual", "quais", "quando", "onde", "quem", "como", "quanto", "quantos", "por que", "ou"},
	YesNoForms:    []string{"quer que", "você quer", "gostaria", "devo", "posso", "está correto", "está certo", "continuo"},
}

// Italian reads whole messages in Italian.
var Italian = Lexicon{
	Tag:           "it",
	Yes:           []string{"sì", "certo", "certamente", "va bene", "d'accordo", "esatto", "giusto", "procedi", "fallo", "confermo", "vai", "volentieri"},
	No:            []string{"no", "non ora", "non adesso", "non ancora", "mai", "assolutamente no", "meglio di no", "annulla", "più tardi", "non voglio", "no no", "lascia stare"},
	Fillers:       []string{"per favore", "grazie", "grazie mille", "per piacere"},
	Ordinals:      []string{"primo|prima|il primo|la prima", "secondo|seconda|il secondo|la seconda", "terzo|terza|il terzo|la terza", "quarto|quarta|il quarto|la quarta", "quinto|quinta|il quinto|la quinta"},
	QuestionWords: []string{"quale", "quali", "quando", "dove", "chi", "come", "quanto", "quanti", "perché", "cosa", "o", "oppure"},
	YesNoForms:    []string{"vuoi che", "vuole che", "devo", "posso", "ti va", "procedo", "è corretto", "va bene"},
}

// Dutch reads whole messages in Dutch.
var Dutch = Lexicon{
	Tag:           "nl",
	Yes:           []string{"ja", "jazeker", "zeker", "graag", "ja graag", "prima", "natuurlijk", "akkoord", "klopt", "doe maar", "ga je gang", "ja hoor"},
	No:            []string{"nee", "neen", "nee hoor", "niet nu", "nu niet", "nog niet", "nooit", "liever niet", "zeker niet", "stop", "later", "annuleer", "laat maar"},
	Fillers:       []string{"alsjeblieft", "alstublieft", "bedankt", "dank je", "dank u"},
	Ordinals:      []string{"eerste|de eerste|het eerste", "tweede|de tweede|het tweede", "derde|de derde|het derde", "vierde|de vierde|het vierde", "vijfde|de vijfde|het vijfde"},
	QuestionWords: []string{"wat", "wanneer", "waar", "wie", "hoe", "waarom", "welke", "welk", "hoeveel", "of"},
	YesNoForms:    []string{"zal ik", "wil je", "wilt u", "mag ik", "kan ik", "klopt dit", "klopt dat", "is dat goed"},
}

// Russian reads whole messages in Russian.
var Russian = Lexicon{
	Tag:           "ru",
	Yes:           []string{"да", "ага", "угу", "конечно", "давай", "давайте", "согласен", "согласна", "подтверждаю", "верно", "хорошо", "ладно"},
	No:            []string{"нет", "неа", "не надо", "не нужно", "не сейчас", "пока нет", "никогда", "ни в коем случае", "отмена", "отмени", "не согласен", "не согласна", "позже", "потом"},
	Fillers:       []string{"пожалуйста", "спасибо", "большое спасибо"},
	Ordinals:      []string{"первый|первая|первое", "второй|вторая|второе", "третий|третья|третье", "четвёртый|четвёртая|четвёртое", "пятый|пятая|пятое"},
	QuestionWords: []string{"что", "когда", "где", "кто", "как", "почему", "какой", "какая", "какие", "сколько", "или"},
	YesNoForms:    []string{"хотите", "хочешь", "мне", "можно", "продолжить", "продолжать", "верно"},
}

// Chinese reads whole messages in Chinese, simplified and traditional.
var Chinese = Lexicon{
	Tag:           "zh",
	Yes:           []string{"是", "是的", "对", "对的", "對", "好", "好的", "可以", "行", "同意", "确认", "確認", "继续", "没问题", "當然", "当然"},
	No:            []string{"不", "不是", "不对", "不好", "不行", "不可以", "不要", "不用", "不用了", "不同意", "别", "取消", "算了", "先不要", "没有", "还没"},
	Fillers:       []string{"请", "請", "谢谢", "謝謝", "吧"},
	Ordinals:      []string{"第一个|第一個|第一", "第二个|第二個|第二", "第三个|第三個|第三", "第四个|第四個|第四", "第五个|第五個|第五"},
	QuestionWords: []string{"什么", "哪", "谁", "怎么", "为什么", "几", "多少", "还是", "還是"},
	YesNoForms:    []string{"要我", "要不要", "是否", "可以吗", "对吗", "好吗", "需要我", "吗"},
}

// Japanese reads whole messages in Japanese.
var Japanese = Lexicon{
	Tag:           "ja",
	Yes:           []string{"はい", "ええ", "うん", "そうです", "了解", "了解です", "わかりました", "承認します", "進めてください", "もちろん", "もちろんです", "hai", "オーケー"},
	No:            []string{"いいえ", "いえ", "いや", "ううん", "違います", "ちがいます", "だめ", "ダメ", "駄目です", "やめて", "やめてください", "まだです", "後で", "あとで", "キャンセル"},
	Fillers:       []string{"お願いします", "おねがいします", "ありがとう", "ありがとうございます", "どうも"},
	Ordinals:      []string{"一番目|一つ目|1 番目", "二番目|二つ目|2 番目", "三番目|三つ目|3 番目", "四番目|四つ目|4 番目", "五番目|五つ目|5 番目"},
	QuestionWords: []string{"何", "なに", "いつ", "どこ", "誰", "どれ", "どの", "どちら", "なぜ", "どう", "それとも", "いくつ"},
	YesNoForms:    []string{"ましょうか", "ますか", "いいですか", "よろしいですか", "でしょうか"},
}

// Hindi reads whole messages in Hindi, and the commonest ones in Latin letters.
var Hindi = Lexicon{
	Tag:           "hi",
	Yes:           []string{"हाँ", "हां", "जी हाँ", "जी हां", "जी", "बिल्कुल", "ठीक है", "सही है", "ज़रूर", "haan", "haanji", "ji haan", "theek hai"},
	No:            []string{"नहीं", "जी नहीं", "ना", "अभी नहीं", "बिल्कुल नहीं", "मत करो", "रहने दो", "बाद में", "nahi", "nahin", "ji nahi", "abhi nahi"},
	Fillers:       []string{"कृपया", "धन्यवाद", "शुक्रिया", "dhanyavaad", "shukriya"},
	Ordinals:      []string{"पहला|पहली|पहले वाला", "दूसरा|दूसरी|दूसरे वाला", "तीसरा|तीसरी|तीसरे वाला", "चौथा|चौथी", "पाँचवाँ|पाँचवीं"},
	QuestionWords: []string{"कब", "कहाँ", "कौन", "कैसे", "क्यों", "कितना", "कितने", "कौनसा", "या"},
	YesNoForms:    []string{"क्या मैं", "क्या आप", "क्या यह", "करूँ", "करूं"},
}

// Arabic reads whole messages in Arabic.
var Arabic = Lexicon{
	Tag:           "ar",
	Yes:           []string{"نعم", "أجل", "اجل", "أيوه", "ايوه", "ايوا", "بالتأكيد", "طبعا", "موافق", "موافقة", "تمام", "حسنا", "تفضل"},
	No:            []string{"لا", "كلا", "ليس الآن", "ليس الان", "ليس بعد", "لا أريد", "لا اريد", "غير موافق", "لست موافقا", "أبدا", "ابدا", "إلغاء", "الغاء", "لاحقا", "مش موافق"},
	Fillers:       []string{"من فضلك", "شكرا", "شكرا جزيلا", "لو سمحت"},
	Ordinals:      []string{"الأول|الاول|الأولى", "الثاني|الثانية", "الثالث|الثالثة", "الرابع|الرابعة", "الخامس|الخامسة"},
	QuestionWords: []string{"ما", "ماذا", "متى", "أين", "من", "كيف", "لماذا", "كم", "أي", "أم", "أو"},
	YesNoForms:    []string{"هل"},
}
