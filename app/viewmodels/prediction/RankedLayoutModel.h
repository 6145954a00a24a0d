#pragma once
// The ranked layouts of a search as rows, and what it is ranked by and under. GUI thread.

#include <QJsonObject>
#include <QQmlEngine>
#include <QStringList>

#include "app/viewmodels/window/RowListModel.h"
#include "app/viewmodels/workspace/SettingListModel.h"
#include "core/predict/search/Search.h"

#include <memory>
#include <optional>

namespace trainscope::app {

struct RankedRow {
    QString name;
    QStringList cells; // of the heads behind the first, ready to read
    QString spoken; // the cells, for screen readers
    bool isOnFront = false;
    bool isChosen = false; // what the form has
    bool operator==(const RankedRow&) const = default;
};

// Settings of a search beside the job's model, cluster and batch.
struct RankingSettings {
    predict::SearchObjective objective = predict::SearchObjective::Time;
    int memory = 0; // of the choices
    int power = 0;
    bool operator==(const RankingSettings&) const = default;
};
std::vector<SettingRow> rankingRows(const RankingSettings& settings);
RankingSettings withRanking(const RankingSettings& settings, const QString& key, int choice);
QJsonObject encodeRanking(const RankingSettings& settings);
RankingSettings decodeRanking(const QJsonObject& json);
predict::SearchRequest searchOf(
    const predict::JobRequest& request, const RankingSettings& settings);

class RankedLayoutModel : public RowListModel<RankedRow> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the prediction.")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)
    Q_PROPERTY(QStringList heads READ heads CONSTANT FINAL)

public:
    explicit RankedLayoutModel(QObject* parent = nullptr);

    [[nodiscard]] static QStringList heads();
    void show(
        const predict::SearchResult& found, const std::optional<predict::LayoutChoice>& chosen);
    void clear() { setRows({}); }
};

} // namespace trainscope::app
