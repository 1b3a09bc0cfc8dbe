#pragma once

#include <QColor>
#include <QObject>
#include <QPalette>
#include <QtQml/qqmlregistration.h>

#include <array>
#include <span>

namespace alcove::ui {

/// The colours of one scheme by token name, and nothing else of the theme: sizes and fonts are in
/// `Theme.qml`, which derives from this type. High contrast takes the system's window, text and
/// highlight colours where these stand at least 7:1 apart, else black and white.
class ThemeColors : public QObject {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(Scheme scheme READ scheme WRITE setScheme NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor window READ window NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor surface READ surface NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor sunken READ sunken NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor userPanel READ userPanel NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor codePanel READ codePanel NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor text READ text NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor text2 READ text2 NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor accent READ accent NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor onAccent READ onAccent NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor link READ link NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor danger READ danger NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor warning READ warning NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor success READ success NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor controlLine READ controlLine NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor hairline READ hairline NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor focus READ focus NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor selection READ selection NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor hover READ hover NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor pressed READ pressed NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor shade READ shade NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor shadow READ shadow NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor codeKeyword READ codeKeyword NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor codeString READ codeString NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor codeComment READ codeComment NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor codeNumber READ codeNumber NOTIFY schemeChanged FINAL)
    Q_PROPERTY(QColor codeFunction READ codeFunction NOTIFY schemeChanged FINAL)

public:
    enum Scheme { Light, Dark, HighContrastLight, HighContrastDark };
    Q_ENUM(Scheme)

    /// Hover, Pressed, Shade and Shadow are translucent layers over any surface; the others are
    /// opaque.
    enum Token {
        Window,
        Surface,
        Sunken,
        UserPanel,
        CodePanel,
        Text,
        Text2,
        Accent,
        OnAccent,
        Link,
        Danger,
        Warning,
        Success,
        ControlLine,
        Hairline,
        Focus,
        Selection,
        Hover,
        Pressed,
        Shade,
        Shadow,
        CodeKeyword,
        CodeString,
        CodeComment,
        CodeNumber,
        CodeFunction,
        TokenCount
    };

    /// A foreground that is drawn on a background somewhere in the window, and the contrast it
    /// needs (WCAG 2.1: 4.5 for text, 3 for control borders, icons, focus ring).
    struct Pair {
        Token foreground;
        Token background;
        double contrast;
    };

    explicit ThemeColors(QObject* parent = nullptr);

    Scheme scheme() const { return m_scheme; }
    void setScheme(Scheme scheme);

    QColor color(Token token) const { return m_colors[token]; }
    static std::span<const Pair> pairsInUse();
    /// WCAG 2.1 contrast of two opaque colours, 1…21.
    static double contrast(const QColor& a, const QColor& b);

    QColor window() const { return color(Window); }
    QColor surface() const { return color(Surface); }
    QColor sunken() const { return color(Sunken); }
    QColor userPanel() const { return color(UserPanel); }
    QColor codePanel() const { return color(CodePanel); }
    QColor text() const { return color(Text); }
    QColor text2() const { return color(Text2); }
    QColor accent() const { return color(Accent); }
    QColor onAccent() const { return color(OnAccent); }
    QColor link() const { return color(Link); }
    QColor danger() const { return color(Danger); }
    QColor warning() const { return color(Warning); }
    QColor success() const { return color(Success); }
    QColor controlLine() const { return color(ControlLine); }
    QColor hairline() const { return color(Hairline); }
    QColor focus() const { return color(Focus); }
    QColor selection() const { return color(Selection); }
    QColor hover() const { return color(Hover); }
    QColor pressed() const { return color(Pressed); }
    QColor shade() const { return color(Shade); }
    QColor shadow() const { return color(Shadow); }
    QColor codeKeyword() const { return color(CodeKeyword); }
    QColor codeString() const { return color(CodeString); }
    QColor codeComment() const { return color(CodeComment); }
    QColor codeNumber() const { return color(CodeNumber); }
    QColor codeFunction() const { return color(CodeFunction); }

Q_SIGNALS:
    void schemeChanged();

private:
    using Colors = std::array<QColor, TokenCount>;
    static Colors plainColors(bool dark);
    static Colors highContrastColors(bool dark, const QPalette& system);

    Scheme m_scheme = Light;
    Colors m_colors;
};

} // namespace alcove::ui
