#pragma once
// Whole files, written beside their place and moved there when complete: what was there stays until
// then.

#include "core/model/Result.h"

#include <QByteArray>
#include <QString>

namespace trainscope::app {

// Io errors say whether the folder is missing, writing is not allowed, or the disk is full.
Status writeFile(const QString& path, const QByteArray& bytes);

} // namespace trainscope::app
