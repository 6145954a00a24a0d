#include "app/viewmodels/window/Theme.h"

#include <QEvent>
#include <QFontDatabase>
#include <QFontInfo>
#include <QGuiApplication>
#include <QMetaEnum>
#include <QPalette>
#include <QSettings>

#include <cmath>
#include <utility>

namespace trainscope::app {

namespace {

constexpr auto kPreferenceKey = "appearance/theme";
constexpr auto kMotionKey = "appearance/reducedMotion";

QColor mixed(const QColor& a, const QColor& b, double share) {
    const auto part = [share](int x, int y) { return static_cast<int>(x + (y - x) * share); };
    return {part(a.red(), b.red()), part(a.green(), b.green()), part(a.blue(), b.blue())};
}

QString chooseFamily() {
    for (const auto& wanted : {QStringLiteral("Inter"), QStringLiteral("Inter Variable")}) {
        if (QFontDatabase::hasFamily(wanted))
            return wanted;
    }
    return QFontDatabase::systemFont(QFontDatabase::GeneralFont).family();
}

} // namespace

Theme* Theme::instance() {
    static Theme* theme = new Theme(qApp);
    return theme;
}

Theme* Theme::create(QQmlEngine*, QJSEngine*) {
    QJSEngine::setObjectOwnership(instance(), QJSEngine::CppOwnership);
    return instance();
}

Theme::Theme(QObject* parent)
    : QObject(parent)
    , m_fontFamily(chooseFamily()) {
    const QSettings settings;
    m_preference = preferenceOf(settings.value(QLatin1String(kPreferenceKey)).toString());
    m_reducedMotion = settings.value(QLatin1String(kMotionKey), false).toBool();
    apply();
    qApp->installEventFilter(this);
}

void Theme::setPreference(Preference preference) {
    if (preference == std::exchange(m_preference, preference))
        return;
    QSettings().setValue(QLatin1String(kPreferenceKey), preferenceKey());
    apply();
}

QString Theme::preferenceKey() const {
    return QString::fromLatin1(
        QMetaEnum::fromType<Preference>().valueToKey(static_cast<int>(m_preference)))
        .toLower();
}

Theme::Preference Theme::preferenceOf(const QString& key) {
    if (key == QLatin1String("dark"))
        return Preference::Dark;
    return key == QLatin1String("light") ? Preference::Light : Preference::System;
}

void Theme::setReducedMotion(bool reduced) {
    if (reduced == std::exchange(m_reducedMotion, reduced))
        return;
    QSettings().setValue(QLatin1String(kMotionKey), reduced);
    Q_EMIT changed();
}

void Theme::apply() {
    const bool dark
        = m_preference == Preference::System ? systemIsDark() : m_preference == Preference::Dark;
    m_scale = QFontInfo(QGuiApplication::font()).pixelSize() / plot::lightTheme().bodySize;
    plot::Theme theme = dark ? plot::darkTheme() : plot::lightTheme();
    for (double* size : {&theme.bodySize, &theme.secondarySize, &theme.smallSize, &theme.titleSize})
        *size = std::round(*size * m_scale);
    m_theme = &m_themes.emplace_back(theme);
    Q_EMIT changed();
}

// Qt 6.4 has no colour scheme query; the palette of the platform's theme tells.
bool Theme::systemIsDark() {
    const auto palette = QGuiApplication::palette();
    return palette.color(QPalette::WindowText).lightness()
        > palette.color(QPalette::Window).lightness();
}

bool Theme::eventFilter(QObject* watched, QEvent* event) {
    const bool isPalette
        = event->type() == QEvent::ApplicationPaletteChange && m_preference == Preference::System;
    if (watched == qApp && (isPalette || event->type() == QEvent::ApplicationFontChange))
        apply();
    return QObject::eventFilter(watched, event);
}

QColor Theme::hovered() const {
    return mixed(raised(), text(), 0.06);
}

} // namespace trainscope::app
