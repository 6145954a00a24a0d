#pragma once
// The form that derives a lane from others: a way, its parts, the formula that they make, a name.
// GUI thread.

#include <QQmlEngine>
#include <QStringList>

#include "app/viewmodels/timeline/TimelineContext.h"
#include "app/viewmodels/timeline/TimelineLanes.h"
#include "core/analysis/derived/Formula.h"

namespace trainscope::app {

class LaneDeriving : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the timeline.")
    Q_PROPERTY(QStringList ways READ ways NOTIFY offered FINAL)
    // Lanes of which one can be made, and for each of the two the GPUs and the runs that it can be
    // of; the first of each is all of them.
    Q_PROPERTY(QStringList lanes READ lanes NOTIFY offered FINAL)
    Q_PROPERTY(QStringList gpus READ gpus NOTIFY offered FINAL)
    Q_PROPERTY(QStringList runs READ runs NOTIFY offered FINAL)
    Q_PROPERTY(int way READ way WRITE setWay NOTIFY changed FINAL)
    Q_PROPERTY(QList<int> first READ first NOTIFY changed FINAL) // lane, GPU, run
    Q_PROPERTY(QList<int> second READ second NOTIFY changed FINAL)
    Q_PROPERTY(bool hasSecond READ hasSecond NOTIFY changed FINAL)
    // An existing lane is changed: its formula and its name only.
    Q_PROPERTY(bool isChange READ isChange NOTIFY changed FINAL)
    Q_PROPERTY(QString formula READ formula WRITE setFormula NOTIFY changed FINAL)
    Q_PROPERTY(QString name READ name WRITE setName NOTIFY changed FINAL)
    Q_PROPERTY(QString title READ title NOTIFY changed FINAL) // made from its parts
    // "In W, a line for each of 8 GPUs."; empty where there is a problem.
    Q_PROPERTY(QString summary READ summary NOTIFY changed FINAL)
    Q_PROPERTY(QString problem READ problem NOTIFY changed FINAL)

public:
    LaneDeriving(TimelineContext& context, TimelineLanes& lanes, QObject* parent = nullptr);

    // Begins with a shown lane as the first part; -1: with the first there is.
    Q_INVOKABLE void begin(int lane);
    // Begins with what a derived lane is.
    Q_INVOKABLE void change(int lane);
    // `part`: 0 the first, 1 the second; `field`: 0 its lane, 1 its GPU, 2 its run.
    Q_INVOKABLE void choose(int part, int field, int index);
    // Adds the lane, or changes the existing one. False: there is a problem.
    Q_INVOKABLE bool accept();

    [[nodiscard]] QStringList ways() const;
    [[nodiscard]] QStringList lanes() const;
    [[nodiscard]] QStringList gpus() const;
    [[nodiscard]] QStringList runs() const;
    [[nodiscard]] int way() const { return m_way; }
    void setWay(int way);
    [[nodiscard]] QList<int> first() const { return asList(m_parts[0]); }
    [[nodiscard]] QList<int> second() const { return asList(m_parts[1]); }
    [[nodiscard]] bool hasSecond() const;
    [[nodiscard]] bool isChange() const { return m_changed >= 0; }
    [[nodiscard]] const QString& formula() const { return m_formula; }
    void setFormula(const QString& formula);
    [[nodiscard]] const QString& name() const { return m_name; }
    void setName(const QString& name);
    [[nodiscard]] const QString& title() const { return m_title; }
    [[nodiscard]] const QString& summary() const { return m_summary; }
    [[nodiscard]] const QString& problem() const { return m_problem; }

    // Other runs are shown.
    void refresh();

Q_SIGNALS:
    void offered();
    void changed();

private:
    struct Chosen {
        int lane = 0;
        int gpu = 0; // 0: all
        int run = 0; // 0: every run by itself
    };
    struct Offer {
        QString title;
        analysis::Formula formula;
    };
    static QList<int> asList(const Chosen& part) { return {part.lane, part.gpu, part.run}; }
    [[nodiscard]] analysis::Formula formulaOf(const Chosen& part) const;
    void offer();
    void compose(); // the formula of what is chosen
    void judge(); // title, summary and problem of the formula
    [[nodiscard]] plot::LaneSpec lane() const;

    TimelineContext& m_context;
    TimelineLanes& m_lanes;
    std::vector<Offer> m_offers;
    int m_way = 0;
    Chosen m_parts[2];
    int m_changed = -1; // the lane; -1: a new one
    QString m_formula; // without name and sign
    QString m_name;
    QString m_title;
    QString m_summary;
    QString m_problem;
};

} // namespace trainscope::app
