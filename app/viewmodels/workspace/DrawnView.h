#pragma once
// Bases of views: of all that can be written to a file, and of those beside the timeline. A view of
// the database knows the Views, reads in the background while it is seen, shows the progress of the
// reading, and can be stopped. A drawn one is one picture, which may be higher than the window: it
// tells what the pointer is over, what is selected in it and in the other views, and the words for
// both. GUI thread.
//
// Positions are logical pixels of the picture.

#include "app/viewmodels/text/Texts.h"
#include "app/viewmodels/workspace/TableModel.h"
#include "app/viewmodels/workspace/Task.h"
#include "app/viewmodels/workspace/Views.h"
#include "core/figures/Figure.h"
#include "core/plot/figures/Figure.h"

#include <QQmlEngine>
#include <QRectF>

namespace trainscope::app {

// A part of a figure that can be left out: a panel of a board.
struct ExportPart {
    QString key; // value of the option "panels"
    QString title;
    bool isShown = true; // shown by the view
};
// A figure to write, with copies of all that it needs.
struct ExportJob {
    QString name; // file name, without suffix; may hold characters that files cannot
    std::vector<ExportPart> parts; // the request names those that are wanted; empty: no choice
    // Reads or makes it, for a file of that size; absent: there is nothing to write.
    std::function<Result<figures::Figure>(const figures::Request& request, const Progress&)> figure;
};
// Job for a figure that has been made; the file is named by the view and the figure's runs.
ExportJob exportJobOf(const QString& view, figures::Figure figure);

class Exportable : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("A view is one.")
    // Titles of its figures where it can write several, and the chosen one.
    Q_PROPERTY(QStringList figures READ figures NOTIFY figuresChanged FINAL)
    Q_PROPERTY(int figure READ chosenFigure WRITE setFigure NOTIFY figuresChanged FINAL)

public:
    using QObject::QObject;
    [[nodiscard]] virtual QStringList figures() const { return {}; }
    [[nodiscard]] int chosenFigure() const { return m_figure; }
    void setFigure(int figure) {
        m_figure = figure;
        Q_EMIT figuresChanged();
    }
    // GUI thread; the job itself may run in any.
    [[nodiscard]] virtual ExportJob exportJob() const = 0;

Q_SIGNALS:
    void figuresChanged();

private:
    int m_figure = 0;
};

class DatabaseView : public trainscope::app::Exportable {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("The base of views.")
    Q_PROPERTY(
        trainscope::app::Views* views READ views WRITE setViews NOTIFY viewsChanged REQUIRED FINAL)
    // Only a view that is seen reads.
    Q_PROPERTY(bool active READ isActive WRITE setActive NOTIFY activeChanged FINAL)
    Q_PROPERTY(bool loading READ isLoading NOTIFY stateChanged FINAL)
    Q_PROPERTY(bool stopped READ isStopped NOTIFY stateChanged FINAL)
    Q_PROPERTY(trainscope::app::WorkProgress progress READ progress NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString errorText READ errorText NOTIFY stateChanged FINAL)

public:
    explicit DatabaseView(QObject* parent = nullptr);

    [[nodiscard]] Views* views() const { return m_views; }
    void setViews(Views* views);
    [[nodiscard]] bool isActive() const { return m_active; }
    void setActive(bool active);

    [[nodiscard]] bool isLoading() const { return m_loading; }
    [[nodiscard]] bool isStopped() const { return m_stopped; }
    [[nodiscard]] const WorkProgress& progress() const { return m_progress; }
    [[nodiscard]] QString errorText() const { return m_error; }
    Q_INVOKABLE void cancel();
    Q_INVOKABLE void readAgain();

Q_SIGNALS:
    void viewsChanged();
    void activeChanged();
    void stateChanged();

protected:
    // The settings that Views keeps for the view are other ones.
    virtual void restore() = 0;
    // The database or its runs are other ones: all that was read is stale.
    virtual void forget() = 0;
    // Begins to read what is wanted and not known yet; nothing while the view is not active.
    virtual void load() = 0;
    // A recorder added to the runs: what is shown is read again while it stays, with what is
    // selected, by readQuietly(). Only asked of a view that is seen and not reading.
    virtual void readGrowth() { }
    // A reading was stopped or failed.
    virtual void nothingRead() { }
    virtual void takeSelection(const trainscope::app::Evidence& /*evidence*/) { }

    // nullptr without Views, or while no database is open.
    [[nodiscard]] Workspace* workspace() const;
    // A database is open, and what can be read of it was.
    [[nodiscard]] bool isAtRest() const {
        return workspace() != nullptr && !m_loading && !m_stopped && m_error.isEmpty();
    }
    // Asks for the metrics that figures of the database can show. An error is not told here: the
    // view's own reading meets it too.
    using Metrics = std::vector<plot::FigureChoice>;
    void askMetrics(std::function<void(Metrics metrics)> take);
    // Settings that Views keeps for a view; empty without one, or where nothing was ever chosen.
    [[nodiscard]] QJsonObject savedSettings(Views::View view) const {
        return m_views ? m_views->settings(Views::keyOf(view)) : QJsonObject();
    }
    void saveSettings(Views::View view, const QJsonObject& settings);

    // Runs `job` on a reader thread and hands what it gives to `take`, on the GUI thread. A later
    // reading supersedes it. `what` stands before the phases of its progress. The job must not
    // touch the view.
    template <typename T>
    void read(const QString& what,
        std::function<Result<T>(const store::Store& store, const Progress& progress)> job,
        std::function<void(T value)> take);
    // The same of a job that may tell a part of its answer before; `show` takes it while the
    // reading goes on.
    template <typename T>
    using PartedJob = std::function<Result<T>(const store::Store& store, const Progress& progress,
        const std::function<void(T part)>& tell)>;
    template <typename T>
    void readInParts(const QString& what, PartedJob<T> job, std::function<void(T part)> show,
        std::function<void(T value)> take);
    // The same without a sign of it: what is shown stays until it is there, or where it fails.
    template <typename T>
    void readQuietly(std::function<Result<T>(const store::Store& store, const Progress&)> job,
        std::function<void(T value)> take);
    // The reading under way, if any, comes to nothing, and so does what an earlier one told.
    void endReading();

private:
    using Finish = std::function<void()>; // for the GUI thread
    using Tell = std::function<void(Finish)>; // may be called before the job ends
    using Job = std::function<Finish(
        const store::Store& store, const Progress& progress, const Tell& tell)>;

    void leaveViews();
    void reloadDatabase();
    void takeGrowth();
    void start(const QString& what, Job job);
    void showStep(const WorkProgress& progress);
    void fail(const Error& error);

    QPointer<Views> m_views;
    bool m_active = false;
    Task<Finish> m_task;
    Task<Finish> m_quietTask{Urgency::Background};
    Task<Metrics> m_metricsTask{Urgency::Background};
    bool m_isAged = false; // grown since it was read
    bool m_loading = false;
    bool m_stopped = false;
    WorkProgress m_progress;
    QString m_error;
};

template <typename T>
void DatabaseView::read(const QString& what,
    std::function<Result<T>(const store::Store&, const Progress&)> job,
    std::function<void(T)> take) {
    const auto whole = [job = std::move(job)](const store::Store& store, const Progress& progress,
                           const auto&) { return job(store, progress); };
    readInParts<T>(what, whole, {}, std::move(take));
}

template <typename T>
void DatabaseView::readInParts(const QString& what, PartedJob<T> job, std::function<void(T)> show,
    std::function<void(T)> take) {
    start(what,
        [this, job = std::move(job), show = std::move(show), take = std::move(take)](
            const store::Store& store, const Progress& progress, const Tell& tell) -> Finish {
            const auto tellPart = [&](T value) {
                tell([show, part = std::make_shared<T>(std::move(value))] {
                    show(std::move(*part));
                });
            };
            auto result = std::make_shared<Result<T>>(job(store, progress, tellPart));
            return [this, take, result] {
                if (!result->hasValue())
                    return fail(result->error());
                endReading();
                take(std::move(*result).value());
                takeGrowth(); // rows that came meanwhile
            };
        });
}

template <typename T>
void DatabaseView::readQuietly(std::function<Result<T>(const store::Store&, const Progress&)> job,
    std::function<void(T)> take) {
    if (workspace() == nullptr)
        return;
    m_quietTask.ask(
        workspace()->readers(),
        [job = std::move(job), take = std::move(take)](
            const store::Store& store, const TaskStage<Finish>& stage) -> Result<Finish> {
            auto result = std::make_shared<Result<T>>(job(store, stage.progress()));
            if (!result->hasValue())
                return result->error();
            return Finish([take, result] { take(std::move(*result).value()); });
        },
        [](const Result<Finish>& finish) {
            // The next growth tries again.
            if (finish.hasValue())
                finish.value()();
        });
}

class DrawnView : public trainscope::app::DatabaseView {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("The base of views that are one picture.")
    Q_PROPERTY(bool ready READ isReady NOTIFY stateChanged FINAL) // there is a picture
    Q_PROPERTY(QString emptyText READ emptyText NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString title READ title NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString caption READ caption NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString notes READ notes NOTIFY stateChanged FINAL) // one a line
    Q_PROPERTY(double contentHeight READ contentHeight NOTIFY contentHeightChanged FINAL)

    Q_PROPERTY(QRectF hovered READ hovered NOTIFY hoverChanged FINAL) // empty: nothing
    Q_PROPERTY(QString hoverTitle READ hoverTitle NOTIFY hoverChanged FINAL)
    Q_PROPERTY(QString hoverText READ hoverText NOTIFY hoverChanged FINAL)
    Q_PROPERTY(QRectF selected READ selected NOTIFY selectionChanged FINAL)
    Q_PROPERTY(QString selectedTitle READ selectedTitle NOTIFY selectionChanged FINAL)
    Q_PROPERTY(trainscope::app::FactListModel* selectedFacts READ selectedFacts CONSTANT FINAL)
    // Words for openSelected(); empty: it does nothing.
    Q_PROPERTY(QString openText READ openText NOTIFY selectionChanged FINAL)

public:
    // `isCaptionDrawn`: the picture has its caption, the part of the data that it covers, below it.
    explicit DrawnView(bool isCaptionDrawn, QObject* parent = nullptr);

    [[nodiscard]] virtual bool isReady() const = 0;
    [[nodiscard]] QString emptyText() const;
    [[nodiscard]] QString title() const { return QString::fromStdString(texts().title); }
    [[nodiscard]] QString caption() const { return QString::fromStdString(texts().caption); }
    [[nodiscard]] QString notes() const { return linesOf(texts().notes); }
    [[nodiscard]] double contentHeight() const { return m_contentHeight; }

    // For the item that paints; nullptr while there is nothing. The picture is at least as high as
    // the view.
    std::shared_ptr<const plot::PlotScene> draw(const plot::Theme& theme,
        const plot::MeasureText& measure, double width, double viewHeight);

    void hoverAt(double x, double y);
    Q_INVOKABLE void leave();
    void clickAt(double x, double y);
    // The timeline of what is selected, or the choice that it offers.
    Q_INVOKABLE virtual void openSelected();
    // To the neighbour of what is selected, by columns and rows; true if there is one.
    Q_INVOKABLE bool step(int columns, int rows);

    [[nodiscard]] QRectF hovered() const;
    [[nodiscard]] QString hoverTitle() const {
        return m_hover ? QString::fromStdString(m_hover->title) : QString();
    }
    [[nodiscard]] QString hoverText() const;
    [[nodiscard]] QRectF selected() const;
    [[nodiscard]] QString selectedTitle() const {
        return m_selected ? QString::fromStdString(m_selected->title) : QString();
    }
    [[nodiscard]] FactListModel* selectedFacts() { return &m_facts; }
    [[nodiscard]] QString openText() const;

Q_SIGNALS:
    void contentHeightChanged();
    void hoverChanged();
    void selectionChanged();
    void repaintNeeded();

protected:
    // Its title, caption and notes, and the reason that there is no picture.
    [[nodiscard]] virtual plot::SheetTexts texts() const = 0;
    // Those of a figure's data; empty without.
    template <typename Data>
    static plot::SheetTexts textsOf(const std::shared_ptr<const Data>& data) {
        return data ? static_cast<const plot::SheetTexts&>(*data) : plot::SheetTexts();
    }
    enum class Needs { Nothing, Runs, ShownRuns };
    // Without them there is no picture, for that reason.
    [[nodiscard]] virtual Needs needs() const { return Needs::ShownRuns; }
    // The figure to draw; only asked for while there is something.
    [[nodiscard]] virtual figures::Figure figure() const = 0;
    virtual void laidOut() { }
    // One of those that the picture offers was clicked, or opened by keys.
    virtual void chooseOffered(std::size_t /*choice*/) { }
    // A page has its title; views beside an inspector, which names what is shown, have none.
    [[nodiscard]] virtual bool isTitleDrawn() const { return false; }
    // Words for that on a button; empty: the picture offers nothing.
    [[nodiscard]] virtual QString choosingText() const { return {}; }

    void takeSelection(const trainscope::app::Evidence& evidence) override;
    // The picture is another one: nothing is pointed at.
    void pictureChanged();
    void forgetSelection() { m_evidence.reset(); }
    // Selects that choice among those that the picture offers; absent, or where the picture does
    // not have it: none.
    void selectOffered(std::optional<std::size_t> choice) {
        setSelected(m_picture && choice ? m_picture->offered(choice) : std::nullopt);
    }

private:
    using Part = std::optional<plot::Hit>;
    [[nodiscard]] plot::Picture layOut(plot::FigureStyle style) const;
    [[nodiscard]] Part partAt(plot::Point at) const {
        return m_picture ? m_picture->hitAt(at) : std::nullopt;
    }
    // The part that shows that place of the data: the one that was selected before, else the first.
    [[nodiscard]] Part find(const Evidence& evidence) const;
    // The offered choice that was selected before the picture became another one.
    [[nodiscard]] Part findAgain() const;
    void select(Part part);
    void placeSelection();
    void setSelected(Part part);

    bool m_isCaptionDrawn;
    std::shared_ptr<const plot::Picture> m_picture; // nullptr: nothing is drawn

    double m_contentHeight = 0.0;
    Part m_hover;
    std::optional<Evidence> m_evidence;
    Part m_selected;
    FactListModel m_facts;
};

// The pages of a view that were read last, so that going back costs nothing. One thread at a time.
template <typename Data>
class KeptPages {
public:
    using Page = std::shared_ptr<const Data>;

    // The newest page for which isWanted(data); nullptr: none.
    template <typename IsWanted>
    [[nodiscard]] Page find(const IsWanted& isWanted) const {
        const auto found = std::ranges::find_if(
            m_pages, [&isWanted](const Page& page) { return isWanted(*page); });
        return found == m_pages.end() ? nullptr : *found;
    }
    Page keep(Data data) {
        m_pages.push_front(std::make_shared<const Data>(std::move(data)));
        if (m_pages.size() > kMost)
            m_pages.pop_back();
        return m_pages.front();
    }
    void clear() { m_pages.clear(); }

private:
    static constexpr std::size_t kMost = 8;
    std::deque<Page> m_pages; // newest first
};

} // namespace trainscope::app
