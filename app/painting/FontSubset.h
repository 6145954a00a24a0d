#pragma once
// A TrueType font of a few characters, made from the outlines of an installed one: what an SVG
// carries so that its text looks the same everywhere, at some 100 bytes a character instead of 300
// KB a font. Kerning and other layout tables are left out. Format: OpenType specification, the
// tables that browsers require.

#include "core/model/Result.h"

#include <QByteArray>
#include <QRawFont>
#include <QString>

namespace trainscope::app {

// Characters of the basic plane that the font has; others are left out. Refused where the font
// forbids embedding.
Result<QByteArray> subsetFont(const QRawFont& font, const QString& characters);

} // namespace trainscope::app
