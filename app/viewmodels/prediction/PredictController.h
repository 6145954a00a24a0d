#pragma once
// The Predict view: the job of the chosen run, or an example, until the form is changed; its
// predicted step, memory, power and heat beside other candidates, answered while the form is
// changed; what takes longer (what else would do to it, its telemetry over what was measured, all
// layouts, another cluster) follows. Impossible input is marked at its field, and the last answer
// stays. GUI thread; predictions are made on reader threads, the newest wins.

#include <QQmlEngine>

#include "app/viewmodels/prediction/PredictForm.h"
#include "app/viewmodels/prediction/PredictJobs.h"
#include "app/viewmodels/workspace/DrawnView.h"

#include "core/plot/comparison/Comparison.h"
#include "core/predict/search/WhatIf.h"

namespace trainscope::app {

// Predictions beside the asked one: those kept, and the measured run that the form was filled from.
struct PredictPeers {
    std::vector<plot::PredictedJob> kept;
    RunId source;
    std::optional<plot::MeasuredStep> measured;
    std::shared_ptr<const figures::MeasuredTracks> tracks;
    std::vector<std::string> notes; // about the measured run
    QString unknown; // facts of its job that the run does not say, as a sentence; empty: none
};

class PredictController : public trainscope::app::DrawnView {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::PredictForm* form READ form CONSTANT FINAL)
    // Job of the answer, in words.
    Q_PROPERTY(QString verdict READ verdict NOTIFY stateChanged FINAL)
    // Reason that the last change was not answered; empty: it was.
    Q_PROPERTY(QString fault READ fault NOTIFY stateChanged FINAL)
    // Run that the form can be filled from; empty: none is shown.
    Q_PROPERTY(QString runName READ runName NOTIFY runChanged FINAL)
    Q_PROPERTY(bool keepable READ isKeepable NOTIFY stateChanged FINAL)
    Q_PROPERTY(int keptCount READ keptCount NOTIFY stateChanged FINAL)
    // Ranking of all layouts of the job's model on its cluster: on or off, its objective, and the
    // best.
    Q_PROPERTY(bool ranked READ isRanked WRITE setRanked NOTIFY rankingChanged FINAL)
    Q_PROPERTY(bool searching READ isSearching NOTIFY rankingChanged FINAL)
    Q_PROPERTY(bool searchStopped READ isSearchStopped NOTIFY rankingChanged FINAL)
    Q_PROPERTY(double searchProgress READ searchProgress NOTIFY rankingChanged FINAL)
    Q_PROPERTY(QString rankingText READ rankingText NOTIFY rankingChanged FINAL)
    Q_PROPERTY(trainscope::app::SettingListModel* ranking READ ranking CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TableModel* layouts READ layouts CONSTANT FINAL)
    // State of the verdict on the other cluster: what it waits for, or why there is none; empty:
    // nothing.
    Q_PROPERTY(QString rivalText READ rivalText NOTIFY rivalChanged FINAL)
    Q_PROPERTY(bool rivalSearching READ isRivalSearching NOTIFY rivalChanged FINAL)
    // True where predictions are calibrated by the measured runs of the database, and their number.
    Q_PROPERTY(
        bool calibrated READ isCalibrated WRITE setCalibrated NOTIFY calibrationChanged FINAL)
    Q_PROPERTY(QString calibrationText READ calibrationText NOTIFY calibrationChanged FINAL)
    // True where the answer can be written, and compared with a measured run; and what the user has
    // to agree to before; empty: nothing.
    Q_PROPERTY(bool comparable READ isComparable NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString comparisonQuestion READ comparisonQuestion NOTIFY stateChanged FINAL)

public:
    explicit PredictController(QObject* parent = nullptr);
    ~PredictController() override;

    static constexpr int kMostKept = 6;

    [[nodiscard]] PredictForm* form() { return &m_form; }
    [[nodiscard]] QString verdict() const;
    [[nodiscard]] QString fault() const { return m_form.fault(); }
    [[nodiscard]] QString runName() const;
    [[nodiscard]] bool isKeepable() const { return m_answer.asked && keptCount() < kMostKept; }
    [[nodiscard]] int keptCount() const { return static_cast<int>(m_peers.kept.size()); }

    // The job of the run that is selected, else of the first that is shown.
    Q_INVOKABLE void fillFromRun();
    // The answer stays on the board, beside those that follow.
    Q_INVOKABLE void keep();
    Q_INVOKABLE void forgetKept();

    [[nodiscard]] bool isRanked() const { return m_isRanked; }
    void setRanked(bool ranked);
    [[nodiscard]] bool isSearching() const { return m_search.isRunning(); }
    [[nodiscard]] bool isSearchStopped() const { return m_search.isStopped(); }
    [[nodiscard]] double searchProgress() const { return m_search.progress(); }
    [[nodiscard]] QString rankingText() const;
    Q_INVOKABLE void stopSearch() { m_search.stop(); }
    Q_INVOKABLE void searchAgain() { search(); }
    [[nodiscard]] SettingListModel* ranking() { return &m_ranking; }
    [[nodiscard]] TableModel* layouts() { return &m_layouts; }
    Q_INVOKABLE void chooseRanking(const QString& key, int choice);
    // Takes that layout of the ranking into the form.
    Q_INVOKABLE void takeLayout(int row);
    // Shows the ties of that row below it, or no longer.
    Q_INVOKABLE void toggleTies(int row);

    [[nodiscard]] QString rivalText() const { return m_rivalText; }
    [[nodiscard]] bool isRivalSearching() const { return m_rivalTask.isRunning(); }
    Q_INVOKABLE void stopRival();

    [[nodiscard]] QStringList figures() const override;

    [[nodiscard]] bool isCalibrated() const { return m_isCalibrated; }
    void setCalibrated(bool calibrated);
    [[nodiscard]] QString calibrationText() const { return m_calibrationText; }

    [[nodiscard]] bool isComparable() const { return isReady() && m_peers.source.isValid(); }
    // Writes the answer into the database as a run, and shows it beside the shown ones.
    Q_INVOKABLE void openAsRun();
    [[nodiscard]] QString comparisonQuestion() const;
    // Shows it alone with the measured run, in the view that compares; writes it where it was not.
    Q_INVOKABLE void compareWithMeasured();

    [[nodiscard]] bool isReady() const override { return m_answer.board != nullptr; }
    [[nodiscard]] ExportJob exportJob() const override;
    [[nodiscard]] const PredictAnswer& answer() const { return m_answer; }
    // Data to draw: the answer with all that is known of it.
    [[nodiscard]] std::shared_ptr<const plot::PredictionFigureData> shown() const;

Q_SIGNALS:
    void runChanged();
    void rankingChanged();
    void rivalChanged();
    void calibrationChanged();
    void missed(int row); // as the form's

private:
    void restore() override;
    void forget() override;
    void load() override;
    [[nodiscard]] figures::Figure figure() const override;
    [[nodiscard]] plot::SheetTexts texts() const override;
    [[nodiscard]] Needs needs() const override { return Needs::Nothing; }
    void takeSelection(const trainscope::app::Evidence& evidence) override;

    void dropOlder(plot::PredictionFigureData& board) const;
    void readRun(const Run& run);
    // The job of the chosen run goes into a form that nobody has changed.
    void followRun();
    void takeWanted();
    void ask();
    void take(PredictAnswer answer);
    void forgetAnswer();
    void forgetDetails();
    void takeRun(LaunchedRun launched);
    [[nodiscard]] const Run* chosenRun() const { return leadingRun(workspace(), m_selectedRun); }
    void askDetails();
    void search();
    void takeBest();
    [[nodiscard]] bool isRankingShown() const; // the ranking belongs to the answered job
    void showSearch() {
        m_layouts.show(
            rankedContent(m_search.found(), chosenLayout(), m_form.training(), m_unfolded));
    }
    // The layout that the form and its answer have.
    [[nodiscard]] std::optional<predict::LayoutChoice> chosenLayout() const;
    [[nodiscard]] predict::ListedLayout listedAt(int row) const;
    void takeChoice(const predict::LayoutChoice& choice);
    void compareClusters();
    void forgetRival();
    void keepSettings();
    void calibrate();
    void takeCalibration(Result<predict::RunCalibration> found);
    void forgetCalibration();
    void askAgain();
    [[nodiscard]] bool isWritten() const; // the answer, as a run that is still there
    // `show` gets the written run.
    void write(std::function<void(RunId)> show);

    PredictForm m_form;
    PredictAnswer m_answer;
    bool m_isRefused = false; // the form is, and the answer of one before
    std::pair<std::shared_ptr<const plot::PredictedJob>, RunId> m_written; // as that run
    PredictPeers m_peers;
    PredictDetails m_details;
    RunId m_selectedRun;
    bool m_isAsked = false;
    bool m_isEdited = false; // the form was changed by the user
    bool m_isFilling = false; // the form is changed by a run
    RunId m_followed; // the form has or had this run's job
    QString m_settledKey; // key of the search whose best layout went into the form
    std::string m_uuid; // database of the stored predictions
    bool m_isCalibrated = false;
    QString m_calibrationText;
    std::shared_ptr<const predict::RunCalibration> m_calibration; // none while it is not there yet
    bool m_isRanked = false;
    RankingSettings m_rankingSettings;
    SettingListModel m_ranking;
    TableModel m_layouts;
    std::set<std::size_t> m_unfolded; // groups of ties
    LayoutSearch m_search;
    std::shared_ptr<const plot::ComparisonData> m_rival;
    QString m_rivalKey; // key of the compared pair
    QString m_rivalText;
    Task<PredictAnswer> m_task{Urgency::Pointer, Asking::Steady};
    Task<PredictDetails> m_detailsTask{Urgency::Background};
    Task<predict::ScaleComparison> m_rivalTask{Urgency::Background};
    Task<predict::RunCalibration> m_calibrationTask{Urgency::Background};
};

} // namespace trainscope::app
