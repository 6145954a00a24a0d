#pragma once
// The look of the window for QML: colours of core/plot's theme, type, spacing and the sizes of the
// frame, all in logical pixels. Type is as large as the desktop's font says, and the frame grows
// with it. One per process; GUI thread only. C++ items that paint take
// plotTheme() and repaint on changed().

#include "core/plot/Theme.h"

#include <QColor>
#include <QObject>
#include <QQmlEngine>
#include <QString>

#include <algorithm>
#include <deque>

namespace trainscope::app {

class Theme : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_SINGLETON
    Q_PROPERTY(Preference preference READ preference WRITE setPreference NOTIFY changed FINAL)
    Q_PROPERTY(bool dark READ dark NOTIFY changed FINAL)
    Q_PROPERTY(bool reducedMotion READ reducedMotion WRITE setReducedMotion NOTIFY changed FINAL)

    Q_PROPERTY(QColor window READ window NOTIFY changed FINAL)
    Q_PROPERTY(QColor panel READ panel NOTIFY changed FINAL)
    Q_PROPERTY(QColor raised READ raised NOTIFY changed FINAL)
    Q_PROPERTY(QColor hovered READ hovered NOTIFY changed FINAL)
    Q_PROPERTY(QColor line READ line NOTIFY changed FINAL)
    // Borders that carry meaning (fields, check boxes): contrast of at least 3 on every surface.
    Q_PROPERTY(QColor outline READ outline NOTIFY changed FINAL)
    Q_PROPERTY(QColor text READ text NOTIFY changed FINAL)
    Q_PROPERTY(QColor textSecondary READ textSecondary NOTIFY changed FINAL)
    Q_PROPERTY(QColor textMuted READ textMuted NOTIFY changed FINAL)
    Q_PROPERTY(QColor accent READ accent NOTIFY changed FINAL)
    Q_PROPERTY(QColor onAccent READ onAccent NOTIFY changed FINAL)
    Q_PROPERTY(QColor warning READ warning NOTIFY changed FINAL)
    Q_PROPERTY(QColor selection READ selection NOTIFY changed FINAL)
    Q_PROPERTY(QColor scrim READ scrim NOTIFY changed FINAL)

    Q_PROPERTY(QString fontFamily READ fontFamily CONSTANT FINAL)
    Q_PROPERTY(int bodySize READ bodySize NOTIFY changed FINAL)
    Q_PROPERTY(int secondarySize READ secondarySize NOTIFY changed FINAL)
    Q_PROPERTY(int smallSize READ smallSize NOTIFY changed FINAL)
    Q_PROPERTY(int titleSize READ titleSize NOTIFY changed FINAL)

    // Spacing: steps of 4.
    Q_PROPERTY(int spaceXs MEMBER kSpaceXs CONSTANT FINAL)
    Q_PROPERTY(int spaceS MEMBER kSpaceS CONSTANT FINAL)
    Q_PROPERTY(int spaceM MEMBER kSpaceM CONSTANT FINAL)
    Q_PROPERTY(int spaceL MEMBER kSpaceL CONSTANT FINAL)
    Q_PROPERTY(int spaceXl MEMBER kSpaceXl CONSTANT FINAL)
    Q_PROPERTY(int hairline MEMBER kHairline CONSTANT FINAL)
    Q_PROPERTY(int radius MEMBER kRadius CONSTANT FINAL)
    Q_PROPERTY(int iconSize READ iconSize NOTIFY changed FINAL)
    Q_PROPERTY(int hitTarget READ hitTarget NOTIFY changed FINAL)
    Q_PROPERTY(int controlHeight READ controlHeight NOTIFY changed FINAL)
    Q_PROPERTY(int topBarHeight READ topBarHeight NOTIFY changed FINAL)
    Q_PROPERTY(int statusBarHeight READ statusBarHeight NOTIFY changed FINAL)
    Q_PROPERTY(int runListWidth READ runListWidth NOTIFY changed FINAL)
    Q_PROPERTY(int inspectorWidth READ inspectorWidth NOTIFY changed FINAL)
    Q_PROPERTY(int sheetWidth READ sheetWidth NOTIFY changed FINAL)
    // Windows narrower than this hide the inspector, those narrower than `cosyWidth` the run list.
    Q_PROPERTY(int wideWidth READ wideWidth NOTIFY changed FINAL)
    Q_PROPERTY(int cosyWidth READ cosyWidth NOTIFY changed FINAL)
    Q_PROPERTY(int minimumWidth READ minimumWidth NOTIFY changed FINAL)
    Q_PROPERTY(int minimumHeight READ minimumHeight NOTIFY changed FINAL)
    // Milliseconds of a transition; 0 with reduced motion.
    Q_PROPERTY(int transition READ transition NOTIFY changed FINAL)
    Q_PROPERTY(int toolTipDelay MEMBER kToolTipDelay CONSTANT FINAL)

public:
    enum class Preference { System, Dark, Light };
    Q_ENUM(Preference)

    // The instance that QML and C++ share; made at the first call, which must come after the
    // application object.
    static Theme* instance();
    static Theme* create(QQmlEngine* qmlEngine, QJSEngine* jsEngine);

    [[nodiscard]] const plot::Theme& plotTheme() const { return *m_theme; }

    [[nodiscard]] Preference preference() const { return m_preference; }
    void setPreference(Preference preference);
    // As it is stored: "dark", "light", else "system".
    [[nodiscard]] QString preferenceKey() const;
    static Preference preferenceOf(const QString& key);
    [[nodiscard]] bool dark() const { return m_theme->dark; }
    [[nodiscard]] bool reducedMotion() const { return m_reducedMotion; }
    void setReducedMotion(bool reduced);
    [[nodiscard]] int transition() const { return m_reducedMotion ? 0 : kTransition; }

    [[nodiscard]] QColor window() const { return toQt(m_theme->window); }
    [[nodiscard]] QColor panel() const { return toQt(m_theme->panel); }
    [[nodiscard]] QColor raised() const { return toQt(m_theme->raised); }
    [[nodiscard]] QColor hovered() const;
    [[nodiscard]] QColor line() const { return toQt(m_theme->line); }
    [[nodiscard]] QColor outline() const { return textMuted(); }
    [[nodiscard]] QColor text() const { return toQt(m_theme->text); }
    [[nodiscard]] QColor textSecondary() const { return toQt(m_theme->textSecondary); }
    [[nodiscard]] QColor textMuted() const { return toQt(m_theme->textMuted); }
    [[nodiscard]] QColor accent() const { return toQt(m_theme->accent); }
    [[nodiscard]] QColor onAccent() const { return toQt(plot::readableOn(m_theme->accent)); }
    [[nodiscard]] QColor warning() const { return toQt(m_theme->warning); }
    [[nodiscard]] QColor selection() const { return toQt(m_theme->selection); }
    [[nodiscard]] QColor scrim() const { return {0, 0, 0, dark() ? 110 : 70}; }

    [[nodiscard]] QString fontFamily() const { return m_fontFamily; }
    [[nodiscard]] int bodySize() const { return static_cast<int>(m_theme->bodySize); }
    [[nodiscard]] int secondarySize() const { return static_cast<int>(m_theme->secondarySize); }
    [[nodiscard]] int smallSize() const { return static_cast<int>(m_theme->smallSize); }
    [[nodiscard]] int titleSize() const { return static_cast<int>(m_theme->titleSize); }

    [[nodiscard]] int iconSize() const { return sized(16); }
    [[nodiscard]] int hitTarget() const { return sized(24); }
    [[nodiscard]] int controlHeight() const { return sized(28); }
    [[nodiscard]] int topBarHeight() const { return sized(48); }
    [[nodiscard]] int statusBarHeight() const { return sized(24); }
    [[nodiscard]] int runListWidth() const { return sized(272); }
    [[nodiscard]] int inspectorWidth() const { return sized(316); }
    [[nodiscard]] int sheetWidth() const { return sized(880); }
    [[nodiscard]] int wideWidth() const { return sized(1180); }
    [[nodiscard]] int cosyWidth() const { return sized(900); }
    // Every screen has that much.
    [[nodiscard]] int minimumWidth() const { return std::min(sized(800), 1024); }
    [[nodiscard]] int minimumHeight() const { return std::min(sized(520), 640); }

    // A length at the usual text, grown with the text; never less than a pointer needs.
    [[nodiscard]] double grown(double length) const { return std::max(1.0, m_scale) * length; }

    Q_INVOKABLE [[nodiscard]] QColor seriesColor(int index) const {
        return toQt(plot::seriesColor(static_cast<std::size_t>(index)));
    }

Q_SIGNALS:
    void changed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    explicit Theme(QObject* parent);
    void apply();
    [[nodiscard]] static bool systemIsDark();
    [[nodiscard]] int sized(int length) const { return qRound(grown(length)); }
    static QColor toQt(plot::Color color) { return {color.r, color.g, color.b, color.a}; }

    static constexpr int kSpaceXs = 4;
    static constexpr int kSpaceS = 8;
    static constexpr int kSpaceM = 12;
    static constexpr int kSpaceL = 16;
    static constexpr int kSpaceXl = 24;
    static constexpr int kHairline = 1;
    static constexpr int kRadius = 4;
    static constexpr int kTransition = 120;
    static constexpr int kToolTipDelay = 500;

    double m_scale = 1.0; // text, over the usual size
    std::deque<plot::Theme> m_themes; // all that were shown: pictures may still be drawn with them
    const plot::Theme* m_theme = nullptr;
    Preference m_preference = Preference::System;
    bool m_reducedMotion = false;
    QString m_fontFamily;
};

} // namespace trainscope::app
