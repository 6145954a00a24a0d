#pragma once
// The Compare view: the shown runs, or captures of them, side by side as one board, its settings,
// and the comparisons that the database keeps by name. GUI thread.

#include <QQmlEngine>

#include "app/viewmodels/comparison/ComparisonLibrary.h"
#include "app/viewmodels/workspace/DrawnView.h"
#include "app/viewmodels/workspace/Setting.h"
#include "core/plot/comparison/Comparison.h"

namespace trainscope::app {

class ComparisonController : public trainscope::app::DrawnView {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::SettingListModel* settings READ settings CONSTANT FINAL)
    // "A · name", in order; the first is what the others are compared with.
    Q_PROPERTY(QStringList runLabels READ runLabels NOTIFY runsChanged FINAL)
    // Runs and below each its captures, which can be compared.
    Q_PROPERTY(trainscope::app::ListModel* offers READ offers CONSTANT FINAL)
    // A shown run has captures that can be compared.
    Q_PROPERTY(bool hasCaptures READ hasCaptures NOTIFY runsChanged FINAL)
    // Switches of its looks, and of its panels.
    Q_PROPERTY(trainscope::app::SettingListModel* looks READ looks CONSTANT FINAL)
    // Scroll position of the board, as a share of its height; a saved comparison keeps it.
    Q_PROPERTY(double scroll READ scroll WRITE setScroll NOTIFY scrollWanted FINAL)
    // The verdict and the cards in words.
    Q_PROPERTY(QString text READ text NOTIFY stateChanged FINAL)

    Q_PROPERTY(QStringList savedNames READ savedNames NOTIFY savedChanged FINAL)
    // Name of the open one; empty: none.
    Q_PROPERTY(QString savedName READ savedName NOTIFY savedChanged FINAL)
    Q_PROPERTY(bool kept READ isKept NOTIFY savedChanged FINAL) // the database has it
    Q_PROPERTY(bool modified READ isModified NOTIFY savedChanged FINAL)

public:
    explicit ComparisonController(QObject* parent = nullptr);

    [[nodiscard]] SettingListModel* settings() { return &m_rows; }
    [[nodiscard]] SettingListModel* looks() { return &m_looks; }
    Q_INVOKABLE void choose(const QString& key, int choice);
    [[nodiscard]] QStringList runLabels() const;
    // Makes that run the first; the former first comes second.
    Q_INVOKABLE void makeFirst(int run);
    [[nodiscard]] ListModel* offers() { return &m_offered; }
    [[nodiscard]] bool hasCaptures() const;
    // Adds what is not compared yet, and shows its run; takes out what is.
    Q_INVOKABLE void toggleOffer(int offer);
    Q_INVOKABLE [[nodiscard]] double movedSeconds(int run) const;
    Q_INVOKABLE void moveBySeconds(int run, double seconds);

    [[nodiscard]] double scroll() const { return m_scroll; }
    void setScroll(double share) { m_scroll = share; }

    [[nodiscard]] bool isReady() const override { return m_data != nullptr && !m_data->isEmpty(); }
    [[nodiscard]] QString text() const;

    [[nodiscard]] QStringList savedNames() const { return m_library.names(); }
    [[nodiscard]] QString savedName() const { return m_saved; }
    [[nodiscard]] bool isKept() const { return m_library.contains(m_saved); }
    [[nodiscard]] bool isModified() const;
    Q_INVOKABLE void openSaved(const QString& name);
    Q_INVOKABLE void save(); // the open one
    Q_INVOKABLE void saveAs(const QString& name);
    Q_INVOKABLE [[nodiscard]] bool isTaken(const QString& name) const {
        return m_library.contains(name.trimmed());
    }
    Q_INVOKABLE void renameSaved(const QString& name);
    Q_INVOKABLE void removeSaved(); // can be undone

    [[nodiscard]] ExportJob exportJob() const override;
    [[nodiscard]] const std::shared_ptr<const plot::ComparisonData>& data() const { return m_data; }
    [[nodiscard]] const ComparisonSettings& chosen() const { return m_settings; }

Q_SIGNALS:
    void settingsChanged();
    void runsChanged();
    void savedChanged();
    void scrollWanted();

private:
    void restore() override;
    void forget() override;
    void load() override;
    void readGrowth() override;
    void nothingRead() override;
    [[nodiscard]] figures::Figure figure() const override;
    [[nodiscard]] plot::SheetTexts texts() const override;
    [[nodiscard]] Needs needs() const override { return Needs::Runs; }
    void laidOut() override;

    void take(const ComparisonSettings& settings);
    void change(const ComparisonSettings& settings); // by the user
    void keep();
    void refreshRows();
    void show(plot::ComparisonData data);
    void colour(plot::ComparisonData& data) const;
    using Compared = std::vector<analysis::ComparedRun>;
    struct Offer {
        RunId run;
        QString title;
        std::string capture; // empty: the whole run
        int place = -1; // among the compared ones; −1: it is none
        [[nodiscard]] bool isCapture() const { return !capture.empty(); }
        bool operator==(const Offer&) const = default;
    };
    [[nodiscard]] Compared comparedRuns() const; // as listed
    [[nodiscard]] Compared orderedRuns() const; // as they stand on the board
    void listRuns(const Compared& runs, std::string sortedBy);
    void showRunsOf(const Compared& runs);
    void listOffers();
    [[nodiscard]] bool hasCapture(RunId run, const std::string& capture) const;
    void readCaptures();
    void takeWanted();
    // The settings with the runs that are shown and the window's theme.
    [[nodiscard]] ComparisonSettings current() const;
    void setSaved(const QString& name);
    void show(
        const QString& name, const ComparisonSettings& settings, const std::vector<RunId>& runs);

    using Captures = std::map<RunId, std::vector<std::string>>; // by time; runs without: none
    Task<Captures> m_capturesTask;
    std::optional<Captures> m_captures; // absent: not known yet
    ComparisonLibrary m_library;
    ComparisonSettings m_settings;
    ComparisonOffers m_offers;
    RowListModel<Offer> m_offered{
        {{"title", &Offer::title}, {"capture", &Offer::isCapture}, {"place", &Offer::place}}};
    SettingListModel m_rows;
    SettingListModel m_looks;
    std::shared_ptr<const plot::ComparisonData> m_data;
    double m_scroll = 0.0;
    std::optional<double> m_wantedScroll; // once the board is laid out
    QString m_saved;
};

} // namespace trainscope::app
