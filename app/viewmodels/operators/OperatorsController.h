#pragma once
// The view Kernels: the kernels of a run, or its call tree, as rows and as a picture that select
// each other, or two runs or captures beside each other. It follows the timeline's window or
// selection when it is seen. GUI thread; trees are read and tables are made on reader threads.

#include <QQmlEngine>
#include <QVariantList>

#include "app/viewmodels/operators/OperatorRows.h"
#include "app/viewmodels/operators/OperatorsSettings.h"
#include "app/viewmodels/workspace/DrawnView.h"
#include "app/viewmodels/workspace/TableModel.h"

namespace trainscope::app {

class OperatorsController : public trainscope::app::DrawnView {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::SettingListModel* settings READ settings CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::SettingListModel* looks READ looks CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TableModel* rows READ rows CONSTANT FINAL)
    Q_PROPERTY(QString search READ search WRITE setSearch NOTIFY searchChanged FINAL)
    Q_PROPERTY(QString foundText READ foundText NOTIFY searchChanged FINAL)
    Q_PROPERTY(int row READ row NOTIFY rowChanged FINAL) // the selected one; -1: none
    // Facts of the selected row.
    Q_PROPERTY(QString rowTitle READ rowTitle NOTIFY rowChanged FINAL)
    Q_PROPERTY(trainscope::app::FactListModel* rowFacts READ rowFacts CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TableModel* kernels READ kernels CONSTANT FINAL)
    // The step if what is selected took that factor of its time, once it rests.
    Q_PROPERTY(bool changeable READ isChangeable NOTIFY rowChanged FINAL)
    Q_PROPERTY(double factor READ factor WRITE setFactor NOTIFY changeChanged FINAL)
    Q_PROPERTY(QString factorText READ factorText NOTIFY changeChanged FINAL)
    Q_PROPERTY(QString changeText READ changeText NOTIFY changeChanged FINAL)
    // Facts of the second run.
    Q_PROPERTY(trainscope::app::TableModel* otherKernels READ otherKernels CONSTANT FINAL)
    Q_PROPERTY(bool openable READ isOpenable NOTIFY rowChanged FINAL)
    Q_PROPERTY(QString timelineText READ timelineText NOTIFY rowChanged FINAL)
    Q_PROPERTY(bool zoomable READ isZoomable NOTIFY rowChanged FINAL)
    Q_PROPERTY(bool zoomed READ isZoomed NOTIFY stateChanged FINAL)
    // Parts of a step in the mean, as {name, share, color, ink, tip}: exposed time, with that in
    // which a GPU waits for launches and is idle; none where they are not known.
    Q_PROPERTY(QVariantList stepParts READ stepParts NOTIFY rowChanged FINAL)
    Q_PROPERTY(QString stepTitle READ stepTitle NOTIFY rowChanged FINAL)
    // There are rows, whatever the picture has.
    Q_PROPERTY(bool listed READ isListed NOTIFY stateChanged FINAL)

public:
    explicit OperatorsController(QObject* parent = nullptr);

    [[nodiscard]] SettingListModel* settings() { return &m_settingRows; }
    [[nodiscard]] SettingListModel* looks() { return &m_lookRows; }
    [[nodiscard]] TableModel* rows() { return &m_rows; }
    Q_INVOKABLE void choose(const QString& key, int choice);

    [[nodiscard]] QString search() const { return m_search; }
    void setSearch(const QString& words);
    [[nodiscard]] QString foundText() const;

    [[nodiscard]] int row() const {
        return m_node == OutlineNode::kNone ? -1 : m_rows.placeOf(m_node);
    }
    Q_INVOKABLE void selectRow(int row);
    Q_INVOKABLE void toggle(int row);
    // Folds or unfolds; to its caller or its first callee where that is done.
    Q_INVOKABLE void fold();
    Q_INVOKABLE void unfold();
    // The longest kernel of a row on the timeline.
    Q_INVOKABLE void openRow(int row);
    void openSelected() override;
    Q_INVOKABLE void zoom();
    Q_INVOKABLE void showWhole();

    [[nodiscard]] QString rowTitle() const;
    [[nodiscard]] FactListModel* rowFacts() { return &m_facts; }
    [[nodiscard]] bool isChangeable() const { return !m_subject.empty(); }
    [[nodiscard]] double factor() const { return m_factor; }
    void setFactor(double factor);
    [[nodiscard]] QString factorText() const { return textOf(fmt::format("{:.2f} ×", m_factor)); }
    [[nodiscard]] const QString& changeText() const { return m_changeText; }
    [[nodiscard]] TableModel* kernels() { return &m_kernels; }
    [[nodiscard]] TableModel* otherKernels() { return &m_otherKernels; }
    [[nodiscard]] bool isOpenable() const { return !m_under.empty() || !m_otherUnder.empty(); }
    [[nodiscard]] QString timelineText() const; // with the rank that it goes to
    [[nodiscard]] bool isZoomable() const;
    [[nodiscard]] bool isZoomed() const;
    [[nodiscard]] bool isListed() const { return m_rows.count() > 0; }

    [[nodiscard]] QVariantList stepParts() const;
    [[nodiscard]] QString stepTitle() const;

    Q_INVOKABLE [[nodiscard]] QString csv() const {
        return m_answer ? operatorCsv(m_answer->outline, m_rows.heads().titles().value(0))
                        : QString();
    }

    [[nodiscard]] bool isReady() const override { return hasPicture(m_settings.picture); }
    [[nodiscard]] QStringList figures() const override;
    [[nodiscard]] ExportJob exportJob() const override;
    [[nodiscard]] const OperatorsAnswerPtr& answer() const { return m_answer; }

Q_SIGNALS:
    void searchChanged();
    void rowChanged();
    void changeChanged();

private:
    void restore() override;
    void forget() override;
    void load() override;
    void nothingRead() override { forget(); }
    [[nodiscard]] figures::Figure figure() const override { return figureOf(m_settings.picture); }
    [[nodiscard]] plot::SheetTexts texts() const override;
    void takeSelection(const trainscope::app::Evidence& evidence) override;
    void chooseOffered(std::size_t choice) override;
    [[nodiscard]] QString choosingText() const override {
        return QStringLiteral("Show on the timeline");
    }

    [[nodiscard]] const Run* shownRun() const { return leadingRun(workspace(), m_selectedRun); }
    [[nodiscard]] OperatorsChoices choices() const;
    [[nodiscard]] std::optional<OperatorsQuestion> wanted() const;
    [[nodiscard]] figures::OperatorsQuery wantedOf(RunId run) const;
    [[nodiscard]] bool hasPicture(OperatorsPicture picture) const;
    [[nodiscard]] figures::Figure figureOf(OperatorsPicture picture) const;
    [[nodiscard]] std::vector<OperatorsPicture> pictures() const;
    [[nodiscard]] plot::OperatorsHead head() const;
    [[nodiscard]] ExportJob runFigureJob(const char* kind) const;
    void take(OperatorsAnswerPtr answer);
    void askExtras();
    void showSettings();
    void showRows();
    void sortBy(int column, bool isDescending);
    [[nodiscard]] bool isExpandable(int row) const { return m_rows.at(row, "expandable").toBool(); }
    [[nodiscard]] bool isUnfolded(int row) const { return m_rows.at(row, "unfolded").toBool(); }
    void selectNode(std::uint32_t node);
    void dropSelection();
    void describeNode();
    [[nodiscard]] std::vector<Fact> factsOfNode() const;
    [[nodiscard]] std::string subjectOfNode() const;
    void askChange();
    void sayChange(const QString& text);
    // Marks the selected row in the picture.
    void markInPicture();
    [[nodiscard]] std::pair<const KernelsUnder*, bool> longestKernel() const;
    void show(const KernelsUnder& kernels, bool isOfOther);
    void showLongest(
        const std::vector<KernelsUnder>& kernels, const std::string& name, bool isOfOther);

    OperatorsSettings m_settings;
    SettingListModel m_settingRows;
    SettingListModel m_lookRows;
    RunId m_selectedRun;
    OperatorsAnswerPtr m_answer;
    TableModel m_rows;
    QString m_search;
    std::uint32_t m_node = OutlineNode::kNone; // selected, of the outline
    std::uint32_t m_root = 0; // root of the flame graph
    std::vector<KernelsUnder> m_under; // the selected row
    std::vector<KernelsUnder> m_otherUnder; // the same in the second run
    FactListModel m_facts;
    std::string m_subject; // as a change of the replay: "kernel:gemm"; empty: none
    double m_factor = 1.0;
    QString m_changeText;
    QTimer m_rest;
    Task<QString> m_changeTask;
    TableModel m_kernels;
    TableModel m_otherKernels;
};

} // namespace trainscope::app
