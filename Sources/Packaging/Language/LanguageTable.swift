// SPDX-License-Identifier: Apache-2.0

/// ISO 639-1, 639-2/T and 639-2/B of the languages films carry.
enum LanguageTable {
    static let rows: [(String, String, String)] = [
        ("af", "afr", "afr"), ("am", "amh", "amh"), ("ar", "ara", "ara"), ("as", "asm", "asm"), ("az", "aze", "aze"),
        ("be", "bel", "bel"), ("bg", "bul", "bul"), ("bn", "ben", "ben"), ("bo", "bod", "tib"), ("br", "bre", "bre"),
        ("bs", "bos", "bos"), ("ca", "cat", "cat"), ("cs", "ces", "cze"), ("cy", "cym", "wel"), ("da", "dan", "dan"),
        ("de", "deu", "ger"), ("el", "ell", "gre"), ("en", "eng", "eng"), ("eo", "epo", "epo"), ("es", "spa", "spa"),
        ("et", "est", "est"), ("eu", "eus", "baq"), ("fa", "fas", "per"), ("fi", "fin", "fin"), ("fo", "fao", "fao"),
        ("fr", "fra", "fre"), ("fy", "fry", "fry"), ("ga", "gle", "gle"), ("gd", "gla", "gla"), ("gl", "glg", "glg"),
        ("gu", "guj", "guj"), ("he", "heb", "heb"), ("hi", "hin", "hin"), ("hr", "hrv", "hrv"), ("ht", "hat", "hat"),
        ("hu", "hun", "hun"), ("hy", "hye", "arm"), ("id", "ind", "ind"), ("is", "isl", "ice"), ("it", "ita", "ita"),
        ("ja", "jpn", "jpn"), ("jv", "jav", "jav"), ("ka", "kat", "geo"), ("kk", "kaz", "kaz"), ("km", "khm", "khm"),
        ("kn", "kan", "kan"), ("ko", "kor", "kor"), ("ku", "kur", "kur"), ("ky", "kir", "kir"), ("la", "lat", "lat"),
        ("lb", "ltz", "ltz"), ("lo", "lao", "lao"), ("lt", "lit", "lit"), ("lv", "lav", "lav"), ("mg", "mlg", "mlg"),
        ("mi", "mri", "mao"), ("mk", "mkd", "mac"), ("ml", "mal", "mal"), ("mn", "mon", "mon"), ("mr", "mar", "mar"),
        ("ms", "msa", "may"), ("mt", "mlt", "mlt"), ("my", "mya", "bur"), ("nb", "nob", "nob"), ("ne", "nep", "nep"),
        ("nl", "nld", "dut"), ("nn", "nno", "nno"), ("no", "nor", "nor"), ("or", "ori", "ori"), ("pa", "pan", "pan"),
        ("pl", "pol", "pol"), ("ps", "pus", "pus"), ("pt", "por", "por"), ("qu", "que", "que"), ("rm", "roh", "roh"),
        ("ro", "ron", "rum"), ("ru", "rus", "rus"), ("rw", "kin", "kin"), ("sa", "san", "san"), ("sd", "snd", "snd"),
        ("si", "sin", "sin"), ("sk", "slk", "slo"), ("sl", "slv", "slv"), ("so", "som", "som"), ("sq", "sqi", "alb"),
        ("sr", "srp", "srp"), ("su", "sun", "sun"), ("sv", "swe", "swe"), ("sw", "swa", "swa"), ("ta", "tam", "tam"),
        ("te", "tel", "tel"), ("tg", "tgk", "tgk"), ("th", "tha", "tha"), ("tk", "tuk", "tuk"), ("tl", "tgl", "tgl"),
        ("tr", "tur", "tur"), ("tt", "tat", "tat"), ("ug", "uig", "uig"), ("uk", "ukr", "ukr"), ("ur", "urd", "urd"),
        ("uz", "uzb", "uzb"), ("vi", "vie", "vie"), ("xh", "xho", "xho"), ("yi", "yid", "yid"), ("yo", "yor", "yor"),
        ("zh", "zho", "chi"), ("zu", "zul", "zul"),
    ]
}
