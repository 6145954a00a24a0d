#pragma once
// Real monitoring engines for tests: Debian's Prometheus and VictoriaMetrics on the loopback, with
// a free port and a folder of their own, filled with samples that are known.

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QString>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTemporaryDir>
#include <QTest>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace trainscope::test {

// GPUs of nodes with eight each, a sample a second.
struct Samples {
    int gpus = 16;
    int seconds = 3600;
    std::int64_t begin = 1'795'341'600; // unix seconds

    // The exporter does not know the power of GPU 5 once, nor the energy of GPU 6.
    static constexpr double kBlank = 9223372036854775792.0; // DCGM_INT64_BLANK
    static constexpr int kBlankSecond = 1234;
    static bool isBlank(int gpu, int second, int of) { return gpu == of && second == kBlankSecond; }
    static double power(int gpu, int second) {
        return isBlank(gpu, second, 5) ? kBlank : 300.0 + gpu + (second % 60) * 2;
    }
    static double temperature(int gpu, int second) { return 40.0 + gpu % 8 + (second / 60) % 10; }
    // Starts again after half an hour; in mJ.
    static double energy(int gpu, int second) {
        return isBlank(gpu, second, 6) ? kBlank : 1000.0 * (gpu + 1) * (second % 1800);
    }

    // OpenMetrics, times in seconds; `perSecond` 1000: in ms, for VictoriaMetrics.
    [[nodiscard]] QByteArray text(std::int64_t perSecond) const {
        QByteArray out;
        const auto add = [&](const char* name, auto&& value) {
            if (perSecond == 1)
                out += QByteArray("# TYPE ") + name + " gauge\n";
            for (int gpu = 0; gpu < gpus; ++gpu) {
                // The exporter of node-1 restarts after 40 minutes, under another address.
                for (int second = 0; second < seconds; ++second) {
                    const bool isLater = gpu / 8 == 1 && second >= 2400;
                    if (gpu == 3 && second >= 600 && second < 900)
                        continue; // a gap
                    out += name + labels(gpu, isLater)
                        + QByteArray::number(value(gpu, second), 'g', 17) + ' '
                        + QByteArray::number(static_cast<qint64>((begin + second) * perSecond))
                        + '\n';
                }
            }
        };
        add("DCGM_FI_DEV_POWER_USAGE", power);
        add("DCGM_FI_DEV_GPU_TEMP", temperature);
        add("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", energy);
        return perSecond == 1 ? out + "# EOF\n" : out;
    }

private:
    static QByteArray labels(int gpu, bool isLater) {
        const QByteArray node = QByteArray::number(gpu / 8);
        return "{gpu=\"" + QByteArray::number(gpu % 8) + "\",UUID=\"GPU-" + QByteArray::number(gpu)
            + "\",Hostname=\"node-" + node + "\",instance=\"10.0." + (isLater ? "9." : "0.") + node
            + ":9400\",job=\"dcgm\",modelName=\"NVIDIA H100 80GB HBM3\"} ";
    }
};

inline int freePort() {
    QTcpServer server;
    server.listen(QHostAddress::LocalHost);
    return server.serverPort();
}

class RealEngine {
public:
    [[nodiscard]] QString url() const { return QStringLiteral("http://127.0.0.1:%1").arg(m_port); }
    [[nodiscard]] bool isRunning() const { return m_process.state() == QProcess::Running; }

    // Empty: it answers; else why not.
    QString startPrometheus(const Samples& samples, const QStringList& more = {}) {
        if (QStandardPaths::findExecutable(QStringLiteral("prometheus")).isEmpty())
            return QStringLiteral("no Prometheus on this machine");
        QFile text(path("samples.om"));
        if (!text.open(QIODevice::WriteOnly) || text.write(samples.text(1)) < 0)
            return text.errorString();
        text.close();
        QProcess fill;
        fill.start(QStringLiteral("promtool"),
            {QStringLiteral("tsdb"), QStringLiteral("create-blocks-from"),
                QStringLiteral("openmetrics"), text.fileName(), path("data")});
        if (!fill.waitForFinished(60'000) || fill.exitCode() != 0)
            return QString::fromUtf8(fill.readAllStandardError());
        QFile config(path("prometheus.yml"));
        if (!config.open(QIODevice::WriteOnly) || config.write("global: {}\n") < 0)
            return config.errorString();
        config.close();
        m_port = freePort();
        m_process.start(QStringLiteral("prometheus"),
            QStringList{QStringLiteral("--config.file=") + config.fileName(),
                QStringLiteral("--storage.tsdb.path=") + path("data"),
                QStringLiteral("--storage.tsdb.retention.time=100y"),
                QStringLiteral("--web.listen-address=127.0.0.1:%1").arg(m_port)}
                + more);
        return waitFor("/-/ready");
    }

    QString startVictoriaMetrics(const Samples& samples) {
        if (QStandardPaths::findExecutable(QStringLiteral("victoria-metrics")).isEmpty())
            return QStringLiteral("no VictoriaMetrics on this machine");
        m_port = freePort();
        m_process.start(QStringLiteral("victoria-metrics"),
            {QStringLiteral("-storageDataPath=") + path("data"),
                QStringLiteral("-httpListenAddr=127.0.0.1:%1").arg(m_port),
                QStringLiteral("-retentionPeriod=100y")});
        if (QString problem = waitFor("/health"); !problem.isEmpty())
            return problem;
        send("/api/v1/import/prometheus", samples.text(1000));
        send("/internal/force_flush", {});
        return {};
    }

    void stop() {
        m_process.kill();
        m_process.waitForFinished();
    }
    RealEngine() = default;
    RealEngine(const RealEngine&) = delete;
    RealEngine& operator=(const RealEngine&) = delete;
    ~RealEngine() { stop(); }

private:
    [[nodiscard]] QString path(const char* name) const {
        return m_folder.filePath(QString::fromUtf8(name));
    }

    // The status line's number; 0: no answer.
    int send(const char* target, const QByteArray& body) const {
        QTcpSocket socket;
        socket.connectToHost(QHostAddress::LocalHost, static_cast<quint16>(m_port));
        if (!socket.waitForConnected(1000))
            return 0;
        socket.write(QByteArray(body.isEmpty() ? "GET " : "POST ") + target
            + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: "
            + QByteArray::number(body.size()) + "\r\n\r\n" + body);
        while (socket.waitForBytesWritten(30'000) && socket.bytesToWrite() > 0) { }
        QByteArray answer;
        while (socket.waitForReadyRead(30'000))
            answer += socket.readAll();
        return answer.mid(9, 3).toInt();
    }

    QString waitFor(const char* target) {
        if (!m_process.waitForStarted(5000))
            return m_process.errorString();
        const auto isRunning = [this] { return m_process.state() == QProcess::Running; };
        const bool isOver
            = QTest::qWaitFor([&] { return !isRunning() || send(target, {}) == 200; }, 30'000);
        if (!isRunning())
            return QString::fromUtf8(m_process.readAllStandardError()).right(500);
        return isOver ? QString() : QStringLiteral("it does not answer");
    }

    QTemporaryDir m_folder;
    QProcess m_process;
    int m_port = 0;
};

} // namespace trainscope::test
