#pragma once
// The seven places of the window, each of one view or several, with what the window has of each
// view; why a place has nothing to say of the chosen runs. GUI thread.

#include <QList>
#include <QObject>
#include <QQmlEngine>
#include <QStringList>

#include "app/viewmodels/workspace/Task.h"
#include "app/viewmodels/workspace/Views.h"

#include <array>

namespace trainscope::app {

// Data of the chosen runs that decides which places have something to say.
struct PlaceFacts {
    int runs = 0; // in the database
    int chosen = 0;
    int gpus = 0; // in the chosen run with most
    int captures = 0; // different ones, of the chosen run that has most
    bool hasWork = false; // a trace has what ran on a GPU, or what its host did
    bool operator==(const PlaceFacts&) const = default;
};

class Places : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the session")
    // In the order of Place.
    Q_PROPERTY(QStringList titles READ titles CONSTANT FINAL)
    // Sentences on why places have nothing to say; empty: it has something.
    Q_PROPERTY(QStringList reasons READ reasons NOTIFY reasonsChanged FINAL)
    Q_PROPERTY(int place READ place NOTIFY placeChanged FINAL)
    // The views of the place, in their order.
    Q_PROPERTY(QList<int> shown READ shown NOTIFY placeChanged FINAL)
    // Keys worth knowing in the open view.
    Q_PROPERTY(QString keys READ keys NOTIFY placeChanged FINAL)

public:
    enum Place { Overview, Timeline, Machine, Kernels, Compare, Predict, Data };
    Q_ENUM(Place)
    static constexpr int kPlaces = 7;

    // `views` must outlive this.
    explicit Places(Views& views, QObject* parent = nullptr);

    [[nodiscard]] QStringList titles() const;
    [[nodiscard]] QStringList reasons() const;
    [[nodiscard]] int place() const { return m_place; }
    [[nodiscard]] QList<int> shown() const;
    [[nodiscard]] QString keys() const;
    static Place placeOf(Views::View view);
    // The file that shows a view, from another folder of qml.
    Q_INVOKABLE [[nodiscard]] static QString pageOf(int view);
    // The view of it that was open last, else its first.
    Q_INVOKABLE void open(int place);

    // The same without a database to ask.
    static QString reasonOf(Place place, const PlaceFacts& facts);

Q_SIGNALS:
    void placeChanged();
    void reasonsChanged();

private:
    void takeView();
    void forget();
    void read();
    void take(const PlaceFacts& facts);

    Views& m_views;
    Place m_place = Overview;
    std::array<Views::View, kPlaces> m_last;
    PlaceFacts m_facts;
    bool m_isRead = false; // else no place is called empty
    Task<PlaceFacts> m_task{Urgency::Background};
};

} // namespace trainscope::app
