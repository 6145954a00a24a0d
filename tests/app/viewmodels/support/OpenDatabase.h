#pragma once
// A database in a folder of its own, open in a workspace as the window opens it, with the views on
// it: a member of a test, or its base. Views keep their files in the folder too.

#include "app/viewmodels/support/OpenWorkspace.h"
#include "app/viewmodels/workspace/ViewFile.h"
#include "app/viewmodels/workspace/Views.h"

#include <QDir>
#include <QTemporaryDir>

#include <filesystem>
#include <memory>
#include <string_view>

namespace trainscope::test {

class OpenDatabase {
public:
    // `write` gets the folder and returns the database's path, empty on failure.
    template <typename Write>
    bool make(const Write& write) {
        if (!m_folder.isValid())
            return false;
        for (const char* variable : {"XDG_STATE_HOME", "XDG_CONFIG_HOME"})
            qputenv(variable, m_folder.path().toLocal8Bit());
        m_path = write(std::filesystem::path(m_folder.path().toStdString()));
        return !m_path.empty();
    }
    // With nothing chosen in any view yet.
    bool open() {
        if (!openWorkspace())
            return false;
        m_views = std::make_unique<app::Views>();
        m_views->setWorkspace(m_workspace.get());
        return true;
    }
    // The same without views.
    bool openWorkspace() {
        QDir(app::viewFolder()).removeRecursively();
        m_workspace = std::make_unique<app::Workspace>();
        return opens(*m_workspace, m_path);
    }
    void close() {
        m_views.reset();
        m_workspace.reset();
    }

    [[nodiscard]] QTemporaryDir& folder() { return m_folder; }
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    [[nodiscard]] app::Workspace& workspace() { return *m_workspace; }
    [[nodiscard]] app::Views& views() { return *m_views; }
    // Zero where there is none of that name.
    [[nodiscard]] RunId runOf(std::string_view name) const {
        for (const Run& run : m_workspace->runs()) {
            if (run.name == name)
                return run.id;
        }
        return {};
    }

protected:
    QTemporaryDir m_folder;
    std::filesystem::path m_path;
    std::unique_ptr<app::Workspace> m_workspace;
    std::unique_ptr<app::Views> m_views;
};

} // namespace trainscope::test
