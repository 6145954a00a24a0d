#pragma once
// A step of the chosen run, of several the first, replayed: its critical path, the step as
// measured, replayed, ideal and changed, and who waits for whom. GUI thread.

#include <QQmlEngine>

#include "app/viewmodels/workspace/DrawnView.h"
#include "app/viewmodels/workspace/Setting.h"

namespace trainscope::app {

// All pictures of one reading of a run's traces.
struct ReplayPage {
    RunId run;
    std::string capture; // empty: all that was traced
    QString changes; // as of the option --if, separated by ";"
    std::vector<std::string> captures = {}; // all of the run
    std::vector<figures::Figure> figures = {};
};

class ReplayController : public trainscope::app::DrawnView {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::SettingListModel* settings READ settings CONSTANT FINAL)
    Q_PROPERTY(QString changes READ changes WRITE setChanges NOTIFY changesChanged FINAL)
    Q_PROPERTY(bool saving READ isSaving NOTIFY stateChanged FINAL)

public:
    explicit ReplayController(QObject* parent = nullptr);

    [[nodiscard]] SettingListModel* settings() { return &m_settings; }
    Q_INVOKABLE void choose(const QString& key, int choice);
    [[nodiscard]] const QString& changes() const { return m_wanted.changes; }
    void setChanges(const QString& changes);
    // Keeps the step, changed or replayed, as a run, shown beside the one that it is of.
    Q_INVOKABLE void saveAsRun();
    // The same, and compares it with what was measured.
    Q_INVOKABLE void compareWithMeasured();
    [[nodiscard]] bool isSaving() const { return m_isSaving; }

    [[nodiscard]] bool isReady() const override {
        return m_page && m_page->figures[m_picture].emptyText.empty();
    }
    [[nodiscard]] ExportJob exportJob() const override {
        return isReady() ? exportJobOf(textOf(figure().kind), figure()) : ExportJob();
    }

Q_SIGNALS:
    void changesChanged();

private:
    void restore() override { load(); }
    void forget() override { show(std::nullopt); }
    void load() override;
    void nothingRead() override { show(std::nullopt); }
    [[nodiscard]] figures::Figure figure() const override { return m_page->figures[m_picture]; }
    [[nodiscard]] plot::SheetTexts texts() const override;
    void show(std::optional<ReplayPage> page);
    void save(std::function<void(const ReplayPage& of, const Run& run)> show);

    bool m_isSaving = false;
    std::size_t m_picture = 0;
    ReplayPage m_wanted; // as it is asked for, with the captures of the run that was read last
    SettingListModel m_settings;
    std::optional<ReplayPage> m_page; // absent: nothing was read
};

} // namespace trainscope::app
