#pragma once
// The timeline in a window over the run "small" of TimelineDatabase.h: the base of a test. Each
// test function remembers arrangements in a folder of its own.

#include "app/viewmodels/support/OpenWorkspace.h"
#include "app/viewmodels/support/TimelineDatabase.h"
#include "app/viewmodels/timeline/TimelineItem.h"

#include <QQuickWindow>
#include <QTemporaryDir>

#include <string_view>

namespace trainscope::test {

class TimelineWindow {
protected:
    bool openWindow() {
        closeWindow();
        if (m_path.empty())
            m_path = writeTimelineDatabase(m_folder.path().toStdString());
        const auto state = m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()));
        qputenv("XDG_STATE_HOME", state.toLocal8Bit());
        m_workspace = std::make_unique<app::Workspace>();
        if (!opens(*m_workspace, m_path))
            return false;
        show("small");
        m_controller = std::make_unique<app::TimelineController>();
        m_controller->setWorkspace(m_workspace.get());
        m_window = std::make_unique<QQuickWindow>();
        m_window->resize(1160, 700);
        m_item = new app::TimelineItem(m_window->contentItem());
        m_item->setSize(QSizeF(1160, 700));
        m_item->setController(m_controller.get());
        m_window->show();
        const auto isDrawn = [this] {
            return m_controller->isReady() && !m_controller->isLoading()
                && m_controller->lanes()->model()->count() > 0;
        };
        return QTest::qWaitForWindowExposed(m_window.get()) && QTest::qWaitFor(isDrawn, 10'000);
    }
    void closeWindow() {
        m_window.reset();
        m_controller.reset();
        m_workspace.reset();
    }
    void show(std::string_view name) {
        for (const Run& run : m_workspace->runs()) {
            if (run.name == name)
                m_workspace->setShown({run.id});
        }
    }

    QTemporaryDir m_folder;
    std::filesystem::path m_path;
    std::unique_ptr<app::Workspace> m_workspace;
    std::unique_ptr<QQuickWindow> m_window;
    std::unique_ptr<app::TimelineController> m_controller;
    app::TimelineItem* m_item = nullptr;
};

} // namespace trainscope::test
