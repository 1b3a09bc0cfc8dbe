// Rules that hold for every QML file, read from the source: colours, sizes and durations come from
// the theme, text is never interpreted as markup, buttons are controls.
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

namespace {

struct Rule {
    const char* name;
    const char* pattern; ///< must not occur
    const char* except;  ///< file that may; null: none
};

constexpr Rule kRules[] = {
    {"a literal colour", "\"#[0-9A-Fa-f]{3,8}\"|Qt\\.(rgba|hsla|hsva|lighter|darker)\\(", nullptr},
    {"a named colour", "color: *\"(?!transparent\")[a-z]+\"", nullptr},
    {"a literal font size", "pixelSize: *[0-9]|pointSize:", "Theme.qml"},
    {"a literal duration", "duration: *[1-9]", nullptr},
    {"text that may be markup", "(AutoText|RichText|StyledText|MarkdownText)", nullptr},
    {"a MouseArea that acts as a button", "\\bMouseArea\\s*\\{[^{}]*\\bonClicked", nullptr},
    {"a picture from elsewhere", "https?://", nullptr},
    {"a loader chain of strings", "\\bQt\\.createQmlObject\\b", nullptr},
    {"a context property style of import", "import QtQuick\\.Controls$", nullptr},
};

QStringList qmlFiles() {
    QStringList files;
    QDirIterator it(QStringLiteral(ALCOVE_SOURCE_DIR "/ui/qml"), {QStringLiteral("*.qml")},
                    QDir::Files, QDirIterator::Subdirectories);
    while (it.hasNext())
        files << it.next();
    return files;
}

QString contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// The block that begins at the brace at `open`, nested blocks of other items left out.
QString ownLines(const QString& text, qsizetype open) {
    QString own;
    int depth = 0;
    for (qsizetype i = open; i < text.size(); ++i) {
        if (text[i] == u'{')
            ++depth;
        else if (text[i] == u'}' && --depth == 0)
            break;
        else if (depth == 1)
            own += text[i];
    }
    return own;
}

} // namespace

class StyleRulesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void filesAreFound() { QVERIFY(qmlFiles().size() > 20); }

    void nothingForbiddenOccurs_data() {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("except");
        for (const Rule& rule : kRules)
            QTest::newRow(rule.name)
                << QString::fromLatin1(rule.pattern) << QString::fromLatin1(rule.except);
    }
    void nothingForbiddenOccurs() {
        QFETCH(const QString, pattern);
        QFETCH(const QString, except);
        const QRegularExpression forbidden(pattern, QRegularExpression::MultilineOption);
        for (const QString& file : qmlFiles()) {
            if (!except.isEmpty() && file.endsWith(except))
                continue;
            const QRegularExpressionMatch match = forbidden.match(contentOf(file));
            QVERIFY2(!match.hasMatch(), qPrintable(file + QStringLiteral(": ") + match.captured()));
        }
    }
    void everyTextIsPlain() {
        const QRegularExpression item(
            QStringLiteral("\\b(Text|TextEdit|T\\.TextArea|TextArea): "
                           "*\\{|\\b(Text|TextEdit|T\\.TextArea|TextArea) \\{"));
        for (const QString& file : qmlFiles()) {
            const QString text = contentOf(file);
            auto it = item.globalMatch(text);
            while (it.hasNext()) {
                const QRegularExpressionMatch match = it.next();
                const QString own = ownLines(text, match.capturedEnd() - 1);
                QVERIFY2(own.contains(QStringLiteral("PlainText")),
                         qPrintable(file + QStringLiteral(": a %1 without PlainText near:\n%2")
                                               .arg(match.captured(), own.left(120))));
            }
        }
    }
    void everyIconThatIsNamedExists() {
        const QRegularExpression named(QStringLiteral("(?:icon|symbol): \"([a-z-]+)\""));
        for (const QString& file : qmlFiles()) {
            auto it = named.globalMatch(contentOf(file));
            while (it.hasNext()) {
                const QString icon = it.next().captured(1);
                QVERIFY2(QFile::exists(
                             QStringLiteral(ALCOVE_SOURCE_DIR "/resources/icons/%1.svg").arg(icon)),
                         qPrintable(file + QStringLiteral(": ") + icon));
            }
        }
    }
};

QTEST_APPLESS_MAIN(StyleRulesTest)
#include "style_rules_test.moc"
