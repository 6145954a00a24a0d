#include "CharllmTree.h"

#include <QDir>
#include <QFile>

#include <random>

namespace trainscope::test {

namespace {

constexpr std::int64_t kStartUs = 1'723'000'000'000'000;
constexpr std::uint64_t kRange32 = std::uint64_t{1} << 32;

class Writer {
public:
    Writer(const QString& folder, unsigned seed)
        : m_folder(folder)
        , m_random(seed) { }

    // Uniform values with three decimals; `scale` takes what stands in the file to SI.
    std::vector<Sample> gauge(const QString& file, double low, double high, long double scale) {
        std::uniform_int_distribution<std::int64_t> value(
            static_cast<std::int64_t>(low * 1000), static_cast<std::int64_t>(high * 1000));
        return write(file, [&](bool missing) {
            const std::int64_t thousandths = value(m_random);
            m_text = missing ? QByteArray("-1")
                             : QByteArray::number(thousandths / 1000) + '.'
                    + QByteArray::number(thousandths % 1000).rightJustified(3, '0');
            return static_cast<long double>(thousandths) / 1000.0L * scale;
        });
    }

    // A counter of 32 bits that starts near its end, so that it wraps within a few samples.
    std::vector<Sample> counter(const QString& file, std::uint64_t maxStep, long double scale) {
        std::uint64_t running = kRange32 - 3 * maxStep;
        return write(file, [&](bool missing) {
            running += m_random() % maxStep;
            m_text = missing ? QByteArray("-1")
                             : QByteArray::number(static_cast<qulonglong>(running % kRange32));
            return static_cast<long double>(running) * scale;
        });
    }

private:
    template <typename NextValue>
    std::vector<Sample> write(const QString& file, NextValue next) {
        QFile out(m_folder + QLatin1Char('/') + file);
        if (!out.open(QIODevice::WriteOnly))
            return {};
        std::vector<Sample> samples;
        const int count = 300 + static_cast<int>(m_random() % 200);
        std::int64_t us = kStartUs + static_cast<std::int64_t>(m_random() % 50'000);
        for (int i = 0; i < count; ++i) {
            const bool missing = m_random() % 12 == 0;
            const long double value = next(missing);
            samples.push_back({us * 1000, value, missing});
            out.write(QByteArray::number(static_cast<qlonglong>(us / 1'000'000)) + '.'
                + QByteArray::number(static_cast<qlonglong>(us % 1'000'000)).rightJustified(6, '0')
                + ',' + m_text + '\n');
            // About 0.1 s, with a hole of four seconds now and then.
            us += 90'000 + static_cast<std::int64_t>(m_random() % 20'000);
            us += m_random() % 150 == 0 ? 4'000'000 : 0;
        }
        return samples;
    }

    QString m_folder;
    std::mt19937_64 m_random;
    QByteArray m_text;
};

} // namespace

CharllmTree CharllmTree::write(const QString& folder, unsigned seed) {
    QDir().mkpath(folder);
    Writer writer(folder, seed);
    CharllmTree tree;
    for (int rank = 0; rank < kRanks; ++rank) {
        if (rank == kMissingRank)
            continue;
        const auto file = [rank](const char* name) {
            return QStringLiteral("%1_%2.csv").arg(QLatin1String(name)).arg(rank);
        };
        tree.gpus["gpu_power"][rank] = writer.gauge(file("gpu_power"), 90, 700, 1);
        tree.gpus["gpu_temperature"][rank] = writer.gauge(file("gpu_thermal"), 30, 85, 1);
        tree.gpus["sm_clock"][rank] = writer.gauge(file("sm_clock"), 345, 1980, 1e6L);
        tree.gpus["gpu_utilization"][rank] = writer.gauge(file("gpu_util"), 0, 100, 0.01L);
        tree.gpus["nvlink_rx"][rank]
            = writer.counter(file("nvlink_rx_throughput"), 20'000'000, 1024);
        tree.gpus["pcie_tx"][rank] = writer.counter(file("pcie_tx_bytes"), 300'000'000, 1);
    }
    for (const int rank : {0, kGpusPerNode}) {
        for (const char* device : {"ib0", "ib1"}) {
            const auto file = QStringLiteral("system_ib_rx_bytes_rank_%1_id_%2.csv")
                                  .arg(rank)
                                  .arg(QLatin1String(device));
            auto& samples = tree.links["ib_rx"][rank / kGpusPerNode][device];
            samples = writer.counter(file, 1'000'000, 1);
        }
    }
    return tree;
}

} // namespace trainscope::test
