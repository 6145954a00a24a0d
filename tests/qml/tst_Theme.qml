import QtQuick
import QtTest
import Trainscope.App

// Every colour that texts have, on every surface that they stand on: contrast of at least 4.5, by
// WCAG. Texts of disabled controls are exempt there, and are painted fainter than these.
TestCase {
    name: "Theme"

    function cleanupTestCase() {
        Theme.preference = Theme.System;
    }
    function test_textReads_data() {
        return [{tag: "dark", theme: Theme.Dark}, {tag: "light", theme: Theme.Light}];
    }
    function test_textReads(data) {
        Theme.preference = data.theme;
        const plain = ["window", "panel", "raised"];
        const marked = plain.concat("hovered", "selected window", "selected panel");
        const surfacesOf = {text: marked, textSecondary: marked, warning: marked, textMuted: plain, onAccent: ["accent"], window: ["text"], accent: ["window", "panel"]};
        for (const color in surfacesOf) {
            for (const surface of surfacesOf[color]) {
                const measured = sceneTexts.contrast(Theme[color], surfaceOf(surface));
                verify(measured >= 4.5, `${color} on ${surface}: ${measured.toFixed(2)}`);
            }
        }
    }
    // Borders of fields and check boxes say what can be filled in.
    function test_outlinesStandOut_data() {
        return test_textReads_data();
    }
    function test_outlinesStandOut(data) {
        Theme.preference = data.theme;
        for (const surface of ["window", "panel", "raised", "hovered"])
            verify(sceneTexts.contrast(Theme.outline, surfaceOf(surface)) >= 3, surface);
    }
    // `selection` lies over the surface.
    function surfaceOf(name: string): color {
        if (!name.startsWith("selected "))
            return Theme[name];
        return sceneTexts.blended(Theme[name.slice(9)], Theme.selection, Theme.selection.a);
    }
}
