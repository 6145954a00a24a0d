#include "core/plot/Theme.h"

namespace trainscope::plot {

namespace {

Theme makeDark() {
    Theme theme;
    theme.window = rgb(0x12151A);
    theme.panel = rgb(0x15191F);
    theme.raised = rgb(0x212730);
    theme.line = rgb(0x262C35);
    theme.grid = rgb(0x20252D);
    theme.text = rgb(0xD5DAE2);
    theme.textSecondary = rgb(0x909AA8);
    theme.textMuted = rgb(0x828E9E);
    theme.accent = rgb(0x56B4E9);
    theme.warning = rgb(0xE69F00);
    theme.selection = withAlpha(rgb(0x56B4E9), 40);
    theme.gap = rgb(0x3A4350);
    theme.dark = true;
    return theme;
}

Theme makeLight() {
    Theme theme;
    theme.window = rgb(0xF6F7F9);
    theme.panel = rgb(0xFFFFFF);
    theme.raised = rgb(0xE9EDF2);
    theme.line = rgb(0xE1E5EA);
    theme.grid = rgb(0xEDF0F3);
    theme.text = rgb(0x1D232B);
    theme.textSecondary = rgb(0x596473);
    theme.textMuted = rgb(0x636C79);
    theme.accent = rgb(0x0072B2);
    theme.warning = rgb(0x965100);
    theme.selection = withAlpha(rgb(0x0072B2), 32);
    theme.gap = rgb(0xC3CAD3);
    return theme;
}

Theme makePaper() {
    Theme theme;
    theme.window = rgb(0xFFFFFF);
    theme.panel = rgb(0xFFFFFF);
    theme.raised = rgb(0xECECEC);
    theme.line = rgb(0x9A9A9A);
    theme.grid = rgb(0xDADADA);
    theme.text = rgb(0x000000);
    theme.textSecondary = rgb(0x333333);
    theme.textMuted = rgb(0x4D4D4D);
    theme.accent = rgb(0x0072B2);
    theme.warning = rgb(0x965100);
    theme.selection = withAlpha(rgb(0x0072B2), 32);
    theme.gap = rgb(0xA8A8A8);
    theme.bodySize = 8.0;
    theme.secondarySize = 7.0;
    theme.smallSize = 7.0;
    theme.titleSize = 9.0;
    theme.lineWidth = 0.5;
    theme.spacing = 2.0;
    return theme;
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
    static const Theme theme = makeDark();
    return theme;
}

const Theme& lightTheme() {
    static const Theme theme = makeLight();
    return theme;
}

const Theme& paperTheme() {
    static const Theme theme = makePaper();
    return theme;
}

const Theme* findTheme(std::string_view name) {
    if (name == "dark")
        return &darkTheme();
    if (name == "light")
        return &lightTheme();
    return name == "paper" ? &paperTheme() : nullptr;
}

} // namespace trainscope::plot
