#include "core/plot/Theme.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace trainscope::plot {

namespace {

constexpr std::array<std::string_view, 3> kThemeNames{"dark", "light", "paper"};

struct ThemeColour {
    Color Theme::*colour;
    std::array<std::uint32_t, kThemeNames.size()> values; // by theme
};
constexpr std::array kColours{
    ThemeColour{&Theme::window, {0x12151A, 0xF6F7F9, 0xFFFFFF}},
    ThemeColour{&Theme::panel, {0x15191F, 0xFFFFFF, 0xFFFFFF}},
    ThemeColour{&Theme::raised, {0x212730, 0xE9EDF2, 0xECECEC}},
    ThemeColour{&Theme::line, {0x262C35, 0xE1E5EA, 0x9A9A9A}},
    ThemeColour{&Theme::grid, {0x20252D, 0xEDF0F3, 0xDADADA}},
    ThemeColour{&Theme::text, {0xD5DAE2, 0x1D232B, 0x000000}},
    ThemeColour{&Theme::textSecondary, {0x909AA8, 0x596473, 0x333333}},
    ThemeColour{&Theme::textMuted, {0x828E9E, 0x636C79, 0x4D4D4D}},
    ThemeColour{&Theme::accent, {0x56B4E9, 0x0072B2, 0x0072B2}},
    ThemeColour{&Theme::warning, {0xE69F00, 0x965100, 0x965100}},
    ThemeColour{&Theme::gap, {0x3A4350, 0xC3CAD3, 0xA8A8A8}},
};

std::array<Theme, kThemeNames.size()> makeThemes() {
    std::array<Theme, kThemeNames.size()> themes;
    themes.front().dark = true;
    for (std::size_t i = 0; i < themes.size(); ++i) {
        for (const auto& [colour, values] : kColours)
            themes[i].*colour = rgb(values[i]);
        themes[i].selection = withAlpha(themes[i].accent, themes[i].dark ? 40 : 32);
    }
    Theme& paper = themes.back();
    paper.bodySize = 8.0;
    paper.secondarySize = 7.0;
    paper.smallSize = 7.0;
    paper.titleSize = 9.0;
    paper.lineWidth = 0.5;
    paper.spacing = 2.0;
    return themes;
}

const Theme& themeAt(std::size_t place) {
    static const auto themes = makeThemes();
    return themes[place];
}

} // namespace

double Theme::size(TextRole role) const {
    switch (role) {
    case TextRole::Secondary:
        return secondarySize;
    case TextRole::Small:
        return smallSize;
    case TextRole::Title:
        return titleSize;
    case TextRole::Body:
        break;
    }
    return bodySize;
}

const Theme& darkTheme() {
    return themeAt(0);
}

const Theme& lightTheme() {
    return themeAt(1);
}

const Theme& paperTheme() {
    return themeAt(2);
}

const Theme* findTheme(std::string_view name) {
    const auto found = std::ranges::find(kThemeNames, name);
    return found == kThemeNames.end()
        ? nullptr
        : &themeAt(static_cast<std::size_t>(found - kThemeNames.begin()));
}

} // namespace trainscope::plot
