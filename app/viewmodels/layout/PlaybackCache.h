#pragma once
// The values of a metric by rank at the moments of a playback, read ahead: a block of
// pictures at a time, of which a few are kept, so that playing neither waits nor grows. GUI thread.

#include <QObject>
#include <QPointer>

#include "app/viewmodels/workspace/Task.h"
#include "core/analysis/cluster/RankValues.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace trainscope::app {

class PlaybackCache : public QObject {
    Q_OBJECT

public:
    static constexpr int kPictures = 256; // pictures in a block
    static constexpr std::size_t kBlocks = 3; // kept at most

    explicit PlaybackCache(QObject* parent = nullptr);

    // Sets what is read from now on, of the database that `readers` read.
    void setSource(ReaderPool& readers, const Run& run, const std::string& metric);
    // Forgets all that was read, and the source.
    void clear();

    // Picture of length `frame` that holds t, if it is there; else it is being read and arrived()
    // follows. Reads the next ones, too.
    std::optional<analysis::RankValues> picture(TimeNs t, DurationNs frame);
    // Asks for the values held at t: exact() follows with those of the last asking.
    void ask(TimeNs t);

    [[nodiscard]] std::size_t blocks() const { return m_blocks.size(); }

Q_SIGNALS:
    void arrived();
    void exact(const std::vector<std::optional<double>>& values);
    void failed(const trainscope::Error& error);

private:
    using SeriesPtr = std::shared_ptr<const analysis::RankSeries>;
    struct Block {
        std::int64_t index = 0;
        SeriesPtr series;
        analysis::RankFrames frames;
    };
    struct Exact {
        SeriesPtr series;
        analysis::RankValues values;
    };

    [[nodiscard]] TimeRange windowOf(std::int64_t block) const;
    void read(std::int64_t block);
    void take(Result<Block> block);

    QPointer<ReaderPool> m_readers;
    Task<Block> m_blockTask{Urgency::Pointer};
    Task<Exact> m_exactTask{Urgency::Pointer, Asking::Steady};
    Run m_run;
    std::string m_metric;
    SeriesPtr m_series;
    DurationNs m_frame{0};
    std::map<std::int64_t, analysis::RankFrames> m_blocks;
    std::optional<std::int64_t> m_reading;
    std::optional<std::int64_t> m_next; // wanted when that is done
};

} // namespace trainscope::app
