#pragma once
// A view that is one picture, which may be higher than the window: what the pointer is over, what
// is selected in it and in the other views, and the words for both. GUI thread.
//
// Positions are logical pixels of the picture.

#include <QQmlEngine>
#include <QRectF>

#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/workspace/DatabaseView.h"
#include "app/viewmodels/workspace/FactListModel.h"
#include "core/plot/Sheet.h"

#include <memory>
#include <optional>

namespace trainscope::app {

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
    [[nodiscard]] QString hoverTitle() const;
    [[nodiscard]] QString hoverText() const;
    [[nodiscard]] QRectF selected() const;
    [[nodiscard]] QString selectedTitle() const;
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
    void selectOffered(std::optional<std::size_t> choice);

private:
    using Part = std::optional<plot::Hit>;
    [[nodiscard]] plot::Picture layOut(plot::FigureStyle style) const;
    [[nodiscard]] Part partAt(plot::Point at) const;
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

} // namespace trainscope::app
