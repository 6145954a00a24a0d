#pragma once
// A font of a few characters, cut from an installed one by HarfBuzz: what an SVG carries so that
// its text looks the same everywhere. Kerning and other layout tables are left out, since texts are
// measured without them.

#include "core/model/Result.h"

#include <QByteArray>
#include <QRawFont>
#include <QString>

namespace trainscope::app {

// An OpenType file with those characters that the font has. Refused where the font forbids
// embedding.
Result<QByteArray> subsetFont(const QRawFont& font, const QString& characters);

} // namespace trainscope::app
