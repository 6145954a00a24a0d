#pragma once
// Files of a test's folder: their paths, and the whole of one, read and written at once. Paths are
// texts in any of the types that they come in.

#include "support/Rows.h"

#include <QFile>
#include <QTemporaryDir>

#include <string>

namespace trainscope::test {

inline std::string pathIn(const QTemporaryDir& folder, const char* name) {
    return folder.filePath(QString::fromUtf8(name)).toStdString();
}

// Empty where it cannot be read.
template <typename Path>
QByteArray contentOf(const Path& path) {
    QFile file(QString::fromStdString(bytesOf(path)));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

template <typename Path>
bool writeContent(const Path& path, const QByteArray& content) {
    QFile file(QString::fromStdString(bytesOf(path)));
    return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
}

} // namespace trainscope::test
