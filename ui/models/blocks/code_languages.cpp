#include "ui/models/blocks/code_languages.h"

#include "ui/models/blocks/code_lexer.h"

#include <algorithm>

namespace alcove::ui {
namespace {

using V = QStringView;

constexpr V kSlashes[] = {u"//"};
constexpr V kHash[] = {u"#"};
constexpr V kDashes[] = {u"--"};
constexpr StringRule kCStrings[] = {{u"\"", u"\"", u'\\'}, {u"'", u"'", u'\\'}};
constexpr StringRule kPythonStrings[] = {{u"\"\"\"", u"\"\"\"", u'\\', true},
                                         {u"'''", u"'''", u'\\', true},
                                         {u"\"", u"\"", u'\\'},
                                         {u"'", u"'", u'\\'}};
constexpr StringRule kScriptStrings[] = {
    {u"`", u"`", u'\\', true}, {u"\"", u"\"", u'\\'}, {u"'", u"'", u'\\'}};
constexpr StringRule kJsonStrings[] = {{u"\"", u"\"", u'\\'}};
constexpr StringRule kShellStrings[] = {{u"\"", u"\"", u'\\', true}, {u"'", u"'", QChar(), true}};
constexpr StringRule kSqlStrings[] = {{u"'", u"'", QChar(), true}, {u"\"", u"\"", QChar()}};
constexpr StringRule kRustStrings[] = {{u"r#\"", u"\"#", QChar(), true},
                                       {u"\"", u"\"", u'\\', true},
                                       {u"'", u"'", u'\\', false, true}};
constexpr StringRule kGoStrings[] = {
    {u"`", u"`", QChar(), true}, {u"\"", u"\"", u'\\'}, {u"'", u"'", u'\\'}};
constexpr StringRule kJavaStrings[] = {
    {u"\"\"\"", u"\"\"\"", u'\\', true}, {u"\"", u"\"", u'\\'}, {u"'", u"'", u'\\'}};
constexpr StringRule kYamlStrings[] = {{u"\"", u"\"", u'\\'}, {u"'", u"'", QChar()}};

// Each list is sorted; code_lexer_test checks it.
constexpr V kCppWords[] = {u"alignas",      u"alignof",      u"asm",        u"auto",
                           u"bool",         u"break",        u"case",       u"catch",
                           u"char",         u"char16_t",     u"char32_t",   u"char8_t",
                           u"class",        u"co_await",     u"co_return",  u"co_yield",
                           u"concept",      u"const",        u"const_cast", u"consteval",
                           u"constexpr",    u"constinit",    u"continue",   u"decltype",
                           u"default",      u"delete",       u"do",         u"double",
                           u"dynamic_cast", u"else",         u"enum",       u"explicit",
                           u"export",       u"extern",       u"false",      u"final",
                           u"float",        u"for",          u"friend",     u"goto",
                           u"if",           u"inline",       u"int",        u"long",
                           u"mutable",      u"namespace",    u"new",        u"noexcept",
                           u"nullptr",      u"operator",     u"override",   u"private",
                           u"protected",    u"public",       u"register",   u"reinterpret_cast",
                           u"requires",     u"restrict",     u"return",     u"short",
                           u"signed",       u"sizeof",       u"static",     u"static_assert",
                           u"static_cast",  u"struct",       u"switch",     u"template",
                           u"this",         u"thread_local", u"throw",      u"true",
                           u"try",          u"typedef",      u"typeid",     u"typename",
                           u"union",        u"unsigned",     u"using",      u"virtual",
                           u"void",         u"volatile",     u"wchar_t",    u"while"};
constexpr V kPythonWords[] = {
    u"False",  u"None",    u"True",  u"and",      u"as",     u"assert", u"async",  u"await",
    u"break",  u"case",    u"class", u"continue", u"def",    u"del",    u"elif",   u"else",
    u"except", u"finally", u"for",   u"from",     u"global", u"if",     u"import", u"in",
    u"is",     u"lambda",  u"match", u"nonlocal", u"not",    u"or",     u"pass",   u"raise",
    u"return", u"self",    u"try",   u"while",    u"with",   u"yield"};
constexpr V kScriptWords[] = {
    u"abstract",   u"any",       u"as",       u"async",      u"await",     u"boolean",  u"break",
    u"case",       u"catch",     u"class",    u"const",      u"continue",  u"debugger", u"declare",
    u"default",    u"delete",    u"do",       u"else",       u"enum",      u"export",   u"extends",
    u"false",      u"finally",   u"for",      u"from",       u"function",  u"get",      u"if",
    u"implements", u"import",    u"in",       u"instanceof", u"interface", u"keyof",    u"let",
    u"namespace",  u"never",     u"new",      u"null",       u"number",    u"of",       u"private",
    u"protected",  u"public",    u"readonly", u"return",     u"set",       u"static",   u"string",
    u"super",      u"switch",    u"this",     u"throw",      u"true",      u"try",      u"type",
    u"typeof",     u"undefined", u"unknown",  u"var",        u"void",      u"while",    u"with",
    u"yield"};
constexpr V kJsonWords[] = {u"false", u"null", u"true"};
constexpr V kShellWords[] = {u"break",    u"case",  u"continue", u"do",     u"done",     u"elif",
                             u"else",     u"esac",  u"exit",     u"export", u"fi",       u"for",
                             u"function", u"if",    u"in",       u"local",  u"readonly", u"return",
                             u"select",   u"set",   u"shift",    u"source", u"then",     u"trap",
                             u"unset",    u"until", u"while"};
constexpr V kCssWords[] = {u"!important", u"@container", u"@font-face", u"@import",
                           u"@keyframes", u"@layer",     u"@media",     u"@supports"};
constexpr V kSqlWords[] = {
    u"add",       u"all",     u"alter",       u"and",     u"any",        u"as",
    u"asc",       u"begin",   u"between",     u"by",      u"case",       u"check",
    u"column",    u"commit",  u"constraint",  u"create",  u"cross",      u"default",
    u"delete",    u"desc",    u"distinct",    u"drop",    u"else",       u"end",
    u"exists",    u"false",   u"foreign",     u"from",    u"full",       u"group",
    u"having",    u"if",      u"in",          u"index",   u"inner",      u"insert",
    u"int",       u"integer", u"intersect",   u"into",    u"is",         u"join",
    u"key",       u"left",    u"like",        u"limit",   u"not",        u"null",
    u"offset",    u"on",      u"or",          u"order",   u"outer",      u"over",
    u"partition", u"pragma",  u"primary",     u"real",    u"references", u"replace",
    u"returning", u"right",   u"rollback",    u"select",  u"set",        u"table",
    u"text",      u"then",    u"transaction", u"trigger", u"true",       u"union",
    u"unique",    u"update",  u"using",       u"values",  u"varchar",    u"view",
    u"when",      u"where",   u"with"};
constexpr V kRustWords[] = {
    u"Self",  u"as",     u"async", u"await",  u"bool",   u"break", u"char",  u"const", u"continue",
    u"crate", u"dyn",    u"else",  u"enum",   u"extern", u"f32",   u"f64",   u"false", u"fn",
    u"for",   u"i16",    u"i32",   u"i64",    u"i8",     u"if",    u"impl",  u"in",    u"isize",
    u"let",   u"loop",   u"match", u"mod",    u"move",   u"mut",   u"pub",   u"ref",   u"return",
    u"self",  u"static", u"str",   u"struct", u"super",  u"trait", u"true",  u"type",  u"u16",
    u"u32",   u"u64",    u"u8",    u"unsafe", u"use",    u"usize", u"where", u"while"};
constexpr V kGoWords[] = {
    u"any",      u"bool",    u"break",  u"byte",  u"case",      u"chan",        u"const",
    u"continue", u"default", u"defer",  u"else",  u"error",     u"fallthrough", u"false",
    u"float32",  u"float64", u"for",    u"func",  u"go",        u"goto",        u"if",
    u"import",   u"int",     u"int32",  u"int64", u"interface", u"map",         u"nil",
    u"package",  u"range",   u"return", u"rune",  u"select",    u"string",      u"struct",
    u"switch",   u"true",    u"type",   u"uint",  u"uint32",    u"uint64",      u"uint8",
    u"var"};
constexpr V kJavaWords[] = {
    u"abstract",     u"assert",  u"boolean",   u"break",     u"byte",       u"case",
    u"catch",        u"char",    u"class",     u"continue",  u"default",    u"do",
    u"double",       u"else",    u"enum",      u"extends",   u"false",      u"final",
    u"finally",      u"float",   u"for",       u"if",        u"implements", u"import",
    u"instanceof",   u"int",     u"interface", u"long",      u"native",     u"new",
    u"null",         u"package", u"private",   u"protected", u"public",     u"record",
    u"return",       u"sealed",  u"short",     u"static",    u"super",      u"switch",
    u"synchronized", u"this",    u"throw",     u"throws",    u"transient",  u"true",
    u"try",          u"var",     u"void",      u"volatile",  u"while",      u"yield"};
constexpr V kYamlWords[] = {u"false", u"no", u"null", u"off", u"on", u"true", u"yes"};

constexpr V kCppLabels[] = {u"c", u"c++", u"cc", u"cpp", u"cxx", u"h", u"hpp"};
constexpr V kPythonLabels[] = {u"py", u"python", u"python3"};
constexpr V kJsLabels[] = {u"javascript", u"js", u"jsx", u"mjs"};
constexpr V kTsLabels[] = {u"ts", u"tsx", u"typescript"};
constexpr V kJsonLabels[] = {u"json", u"json5", u"jsonc"};
constexpr V kShellLabels[] = {u"bash", u"console", u"sh", u"shell", u"zsh"};
constexpr V kHtmlLabels[] = {u"htm", u"html", u"xhtml"};
constexpr V kXmlLabels[] = {u"svg", u"xml"};
constexpr V kCssLabels[] = {u"css", u"less", u"scss"};
constexpr V kSqlLabels[] = {u"mysql", u"postgresql", u"sql", u"sqlite"};
constexpr V kRustLabels[] = {u"rs", u"rust"};
constexpr V kGoLabels[] = {u"go", u"golang"};
constexpr V kJavaLabels[] = {u"java"};
constexpr V kYamlLabels[] = {u"yaml", u"yml"};
constexpr V kDiffLabels[] = {u"diff", u"patch"};

constexpr CodeLanguage kLanguages[] = {
    {.title = u"C++",
     .labels = kCppLabels,
     .keywords = kCppWords,
     .lineComments = kSlashes,
     .commentOpen = u"/*",
     .commentClose = u"*/",
     .strings = kCStrings,
     .hashDirective = true,
     .quoteInNumbers = true},
    {.title = u"Python",
     .labels = kPythonLabels,
     .keywords = kPythonWords,
     .lineComments = kHash,
     .strings = kPythonStrings,
     .wordExtra = u"@"},
    {.title = u"JavaScript",
     .labels = kJsLabels,
     .keywords = kScriptWords,
     .lineComments = kSlashes,
     .commentOpen = u"/*",
     .commentClose = u"*/",
     .strings = kScriptStrings,
     .wordExtra = u"$"},
    {.title = u"TypeScript",
     .labels = kTsLabels,
     .keywords = kScriptWords,
     .lineComments = kSlashes,
     .commentOpen = u"/*",
     .commentClose = u"*/",
     .strings = kScriptStrings,
     .wordExtra = u"$"},
    {.title = u"JSON",
     .labels = kJsonLabels,
     .keywords = kJsonWords,
     .lineComments = kSlashes,
     .strings = kJsonStrings,
     .calls = false,
     .keysBeforeColon = true},
    {.title = u"Shell",
     .labels = kShellLabels,
     .keywords = kShellWords,
     .lineComments = kHash,
     .strings = kShellStrings,
     .wordExtra = u"-",
     .calls = false,
     .hashNeedsSpace = true},
    {.title = u"HTML", .labels = kHtmlLabels, .kind = LexKind::Markup},
    {.title = u"XML", .labels = kXmlLabels, .kind = LexKind::Markup},
    {.title = u"CSS",
     .labels = kCssLabels,
     .keywords = kCssWords,
     .commentOpen = u"/*",
     .commentClose = u"*/",
     .strings = kCStrings,
     .wordExtra = u"-@!",
     .keysBeforeColon = true},
    {.title = u"SQL",
     .labels = kSqlLabels,
     .keywords = kSqlWords,
     .lineComments = kDashes,
     .commentOpen = u"/*",
     .commentClose = u"*/",
     .strings = kSqlStrings,
     .ignoreCase = true},
    {.title = u"Rust",
     .labels = kRustLabels,
     .keywords = kRustWords,
     .lineComments = kSlashes,
     .commentOpen = u"/*",
     .commentClose = u"*/",
     .strings = kRustStrings,
     .commentNests = true},
    {.title = u"Go",
     .labels = kGoLabels,
     .keywords = kGoWords,
     .lineComments = kSlashes,
     .commentOpen = u"/*",
     .commentClose = u"*/",
     .strings = kGoStrings},
    {.title = u"Java",
     .labels = kJavaLabels,
     .keywords = kJavaWords,
     .lineComments = kSlashes,
     .commentOpen = u"/*",
     .commentClose = u"*/",
     .strings = kJavaStrings,
     .wordExtra = u"@"},
    {.title = u"YAML",
     .labels = kYamlLabels,
     .keywords = kYamlWords,
     .lineComments = kHash,
     .strings = kYamlStrings,
     .wordExtra = u"-",
     .calls = false,
     .keysBeforeColon = true,
     .hashNeedsSpace = true},
    {.title = u"Diff", .labels = kDiffLabels, .kind = LexKind::Diff},
};

} // namespace

bool CodeLanguage::isKeyword(QStringView word) const {
    QString lower;
    if (ignoreCase) {
        lower = word.toString().toLower();
        word = lower;
    }
    return std::binary_search(keywords.begin(), keywords.end(), word);
}

std::span<const CodeLanguage> codeLanguages() {
    return kLanguages;
}

const CodeLanguage* codeLanguage(QStringView label) {
    const QString lower = label.toString().toLower();
    for (const CodeLanguage& language : kLanguages)
        if (std::find(language.labels.begin(), language.labels.end(), QStringView(lower)) !=
            language.labels.end())
            return &language;
    return nullptr;
}

QString codeLanguageTitle(QStringView label) {
    const CodeLanguage* language = codeLanguage(label);
    if (!language)
        return label.toString();
    return label.compare(u"c", Qt::CaseInsensitive) == 0 ? QStringLiteral("C")
                                                         : language->title.toString();
}

} // namespace alcove::ui
