#pragma once
// Opening a workspace, which happens in the background, and waiting until it is open.

#include "app/viewmodels/workspace/Workspace.h"

#include <QTest>

#include <filesystem>
#include <optional>

namespace trainscope::test {

// False when it cannot be opened.
inline bool opens(app::Workspace& workspace, const std::filesystem::path& path) {
    std::optional<bool> opened;
    workspace.open(path, [&opened](const Status& status) { opened = status.hasValue(); });
    return QTest::qWaitFor([&opened] { return opened.has_value(); }) && *opened;
}

inline bool reloads(app::Workspace& workspace) {
    std::optional<bool> reloaded;
    workspace.reload([&reloaded](const Status& status) { reloaded = status.hasValue(); });
    return QTest::qWaitFor([&reloaded] { return reloaded.has_value(); }) && *reloaded;
}

} // namespace trainscope::test
