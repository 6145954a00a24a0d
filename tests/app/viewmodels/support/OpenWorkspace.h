#pragma once
// Opening a workspace, which happens in the background, and waiting until it is open.

#include "app/viewmodels/workspace/Task.h"
#include "app/viewmodels/workspace/ViewFile.h"
#include "app/viewmodels/workspace/Workspace.h"

#include <QTest>

#include <barrier>
#include <filesystem>
#include <memory>
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

// Everything that was asked of the disk and of the readers has been answered, and the answers were
// heard here, with what they asked in turn. A job of the lowest urgency begins when the others have
// begun; one on each thread at a time shows that they are over.
inline bool settles(app::Workspace& workspace) {
    auto& readers = workspace.readers();
    for (int round = 0; round < 2; ++round) {
        app::diskThreads().waitForDone();
        app::viewFiles().waitForDone();
        const auto told = std::make_shared<int>(0);
        const auto heard = [&readers, told] { readers.reply([told] { ++*told; }); };
        readers.post(
            app::Urgency::Background, readers.database(), [heard](const auto&) { heard(); });
        if (!QTest::qWaitFor([told] { return *told == 1; }))
            return false;
        const auto together = std::make_shared<std::barrier<>>(app::ReaderPool::kThreads);
        for (int thread = 0; thread < app::ReaderPool::kThreads; ++thread)
            readers.post(app::Urgency::Pointer, readers.database(), [heard, together](const auto&) {
                together->arrive_and_wait();
                heard();
            });
        if (!QTest::qWaitFor([told] { return *told == 1 + app::ReaderPool::kThreads; }))
            return false;
    }
    return true;
}

} // namespace trainscope::test
