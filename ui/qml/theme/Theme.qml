pragma Singleton
import QtQuick
import Alcove.Models

// The only place for colours (ThemeColors), sizes, fonts and durations. The window sets the first four properties once.
ThemeColors {
    id: root

    property real textScale: 1
    property bool reducedMotion: false
    property string bodyFamily: Application.font.family
    property string codeFamily: "monospace"

    readonly property bool dark: root.scheme === ThemeColors.Dark || root.scheme === ThemeColors.HighContrastDark

    // Space. Where it surrounds text it grows with the text.
    readonly property real space2: 2 * root.textScale
    readonly property real space4: 4 * root.textScale
    readonly property real space8: 8 * root.textScale
    readonly property real space12: 12 * root.textScale
    readonly property real space16: 16 * root.textScale
    readonly property real space24: 24 * root.textScale
    readonly property real space32: 32 * root.textScale
    readonly property real space48: 48 * root.textScale

    readonly property int radiusControl: 4
    readonly property int radiusPanel: 8
    readonly property int radiusPopup: 12
    readonly property int line: 1
    readonly property int focusLine: 2
    readonly property int focusGap: 2

    // Smallest side of anything that is clicked.
    readonly property real target: Math.max(28, 28 * root.textScale)
    readonly property real control: 32 * root.textScale
    readonly property real icon: 20 * root.textScale
    readonly property real iconSmall: 16 * root.textScale
    readonly property real bar: 48 * root.textScale

    // Lines of body text are at most 76 characters wide; the average character is about 0.52 em.
    readonly property real measure: 76 * 0.52 * 15 * root.textScale

    readonly property font small: Qt.font({ family: root.bodyFamily, pixelSize: Math.round(12 * root.textScale) })
    readonly property font label: Qt.font({ family: root.bodyFamily, pixelSize: Math.round(13 * root.textScale) })
    readonly property font labelStrong: Qt.font({ family: root.bodyFamily, pixelSize: Math.round(13 * root.textScale), weight: Font.DemiBold })
    readonly property font body: Qt.font({ family: root.bodyFamily, pixelSize: Math.round(15 * root.textScale) })
    readonly property font bodyStrong: Qt.font({ family: root.bodyFamily, pixelSize: Math.round(15 * root.textScale), weight: Font.DemiBold })
    readonly property font title: Qt.font({ family: root.bodyFamily, pixelSize: Math.round(17 * root.textScale), weight: Font.DemiBold })
    readonly property font display: Qt.font({ family: root.bodyFamily, pixelSize: Math.round(24 * root.textScale), weight: Font.DemiBold })
    readonly property font code: Qt.font({ family: root.codeFamily, pixelSize: Math.round(13.5 * root.textScale) })

    // Line heights that go with the fonts above, in pixels (Text.FixedHeight).
    readonly property real smallLine: Math.round(16 * root.textScale)
    readonly property real labelLine: Math.round(18 * root.textScale)
    readonly property real bodyLine: Math.round(23 * root.textScale)
    readonly property real titleLine: Math.round(24 * root.textScale)
    readonly property real displayLine: Math.round(32 * root.textScale)
    readonly property real codeLine: Math.round(20 * root.textScale)

    readonly property int durationPress: root.reducedMotion ? 0 : 90
    readonly property int durationMove: root.reducedMotion ? 0 : 150
    readonly property int hintDelay: 600

    function iconSource(name: string): url {
        return "qrc:/icons/" + name + ".svg";
    }
}
