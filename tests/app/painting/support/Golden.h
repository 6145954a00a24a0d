#pragma once
// Golden files: what a scene consists of, as text that is read in a review, and a few small scenes
// as the SVG that the painter makes of them. Text is measured with a fixed pitch and its font is
// taken out, so that a file does not depend on installed fonts. UPDATE_GOLDEN=1 writes the files
// anew; where one differs, the actual text lies beside the tests' programs as NAME.actual.

#include <QByteArray>
#include <QString>

#include "core/plot/PlotScene.h"
#include "core/plot/Theme.h"

namespace trainscope::test {

// 0.6 of the size a byte: wide enough that the installed font's text stays in its place.
plot::MeasureText goldenPitch(const plot::Theme& theme);

// One line for each item in the order of painting, rounded to tenths; dense items by their counts
// and means. A text is given by its ends and its baseline; texts that leave the scene are marked.
QByteArray sceneText(const plot::PlotScene& scene, const plot::MeasureText& measure);

// Without groups that hold nothing.
QByteArray sceneSvg(
    plot::PlotScene scene, const plot::Theme& theme, const plot::MeasureText& measure);

// Empty where `actual` is what that file of the golden folder holds; else what is to be said, with
// the first line that differs.
QString differenceFromGolden(const QString& fileName, const QByteArray& actual);

} // namespace trainscope::test
