// Devices as a fake of NVIDIA's library and a folder in place of the kernel's show them, faults
// included.

#include "importers/record/GpuLibrary.h"
#include "importers/record/HostProbe.h"
#include "importers/record/ProbeReading.h"
#include "support/TestProgram.h"

using namespace trainscope::record;
using test::siValue;
using test::writeText;

namespace {

std::string fake(const char* name) {
    return QByteArray(qgetenv("TRAINSCOPE_BINARY") + "/bin/fakes/" + name + ".so").toStdString();
}

std::unique_ptr<GpuLibrary> nvml(const char* faults, const char* gpus = "2") {
    qputenv("TRAINSCOPE_FAKE_FAULTS", faults);
    qputenv("TRAINSCOPE_FAKE_GPUS", gpus);
    auto library = openNvml(fake("fake_nvml"));
    if (!library.hasValue()) {
        QTest::qFail(library.error().message.c_str(), __FILE__, __LINE__);
        return nullptr;
    }
    return std::move(library.value());
}

} // namespace

class tst_Devices : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // A loader that came with the program does not look there itself.
    void libraryInAFolderOfThePath() {
        if (DynamicLibrary::open({"libnvidia-ml.so.1"}).hasValue())
            QSKIP("SKIPPED: this machine has a driver of NVIDIA, whose library is found first");
        const QTemporaryDir folder;
        const QString there = folder.filePath(QStringLiteral("libnvidia-ml.so.1"));
        QVERIFY(QFile::copy(QString::fromStdString(fake("fake_nvml")), there));
        const QByteArray before = qgetenv("LD_LIBRARY_PATH");
        qputenv("LD_LIBRARY_PATH", "/nowhere:" + folder.path().toUtf8() + ":" + before);
        qputenv("TRAINSCOPE_FAKE_GPUS", "3");
        const auto library = openNvml("");
        qputenv("LD_LIBRARY_PATH", before);
        QVERIFY(library.hasValue());
        QCOMPARE(library.value()->gpus().size(), 3U);
    }

    // The loader's word about the file that is there, not about the names that are not.
    void libraryThatDoesNotLoad() {
        if (DynamicLibrary::open({"libnvidia-ml.so.1"}).hasValue())
            QSKIP("SKIPPED: this machine has a driver of NVIDIA, whose library is found first");
        const QTemporaryDir folder;
        writeText(folder.filePath(QStringLiteral("libnvidia-ml.so.1")), "no library");
        const QByteArray before = qgetenv("LD_LIBRARY_PATH");
        qputenv("LD_LIBRARY_PATH", folder.path().toUtf8());
        const auto library = openNvml("");
        qputenv("LD_LIBRARY_PATH", before);
        VERIFY_FAILS(library, folder.path().toStdString());
    }

    void readingsInSi() {
        const auto library = nvml("");
        QCOMPARE(library->gpus().size(), 2U);
        QCOMPARE(library->gpus()[1].model, std::string("NVIDIA H100 80GB HBM3"));
        QCOMPARE(library->gpus()[1].uuid, std::string("GPU-00001"));
        QCOMPARE(library->gpus()[1].facts.at("power limit"), std::string("700 W"));
        const auto probe = library->probe(library->gpus()[1]);
        QCOMPARE(siValue(*probe, "gpu_power"), 200.0);
        QCOMPARE(siValue(*probe, "gpu_power_average"), 200.0);
        QCOMPARE(siValue(*probe, "mem_power"), 50.0);
        QCOMPARE(siValue(*probe, "gpu_temperature"), 41.0);
        QCOMPARE(siValue(*probe, "sm_clock"), 1.98e9);
        QCOMPARE(siValue(*probe, "mem_clock"), 2.619e9);
        QCOMPARE(siValue(*probe, "gpu_utilization"), 0.97);
        QCOMPARE(siValue(*probe, "mem_used"), 64e9);
        QCOMPARE(siValue(*probe, "power_limit"), 700.0);
        QCOMPARE(siValue(*probe, "ecc_corrected"), 3.0);
        QCOMPARE(siValue(*probe, "ecc_uncorrected"), 0.0);
        QCOMPARE(siValue(*probe, "throttle_reasons"), 4.0);
        QCOMPARE(siValue(*probe, "xid"), 0.0);
    }

    // The driver's sum, asked for a moment before the links, is twice one of them; a link has a
    // series of its own.
    void links() {
        const auto library = nvml("");
        const auto probe = library->probe(library->gpus()[0]);
        QVERIFY(QTest::qWaitFor([&] { return siValue(*probe, "nvlink_tx").value() > 1e9; }));
        const std::vector<double> values = test::allRead(*probe);
        double total = 0.0;
        double links = 0.0;
        int linkCount = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const SeriesDescription& description = probe->channels()[i].description;
            if (description.metric.name == metric::kNvlinkTx)
                total = values[i];
            if (description.metric.name != metric::kNvlinkLinkTx)
                continue;
            links += values[i];
            ++linkCount;
            QVERIFY(description.subject.kind == SubjectKind::Link);
            QCOMPARE(description.counterBits, 64);
            QCOMPARE(description.scale, 1024.0);
        }
        QCOMPARE(linkCount, 2);
        QVERIFY2(total <= links && total > 0.9 * links, qPrintable(QString::number(total / links)));
    }

    // Both links of each go to a switch.
    void topology() {
        const auto library = nvml("", "3");
        const auto topology = library->topology();
        QVERIFY(topology.has_value());
        QCOMPARE(topology->gpuCount(), 3U);
        QVERIFY(topology->path(0, 2).kind == layout::PathKind::NvLink);
        QCOMPARE(topology->path(0, 2).links, 2);
        QVERIFY(topology->path(0, 2).isSwitched);
        QCOMPARE(topology->devices()[1].busId, std::string("00000000:01:00.0"));
    }

    // Each reading writes its channels alone, and every channel is of one reading.
    void readingsHaveTheirOwnPace() {
        const auto library = nvml("");
        const auto probe = library->probe(library->gpus()[0]);
        QCOMPARE(siValue(*probe, "gpu_power_average", Pace::Round), -1e-3);
        QCOMPARE(siValue(*probe, "fan_speed", Pace::Round), -0.01);
        QCOMPARE(siValue(*probe, "gpu_energy", Pace::Round), -1e-3);
        QCOMPARE(siValue(*probe, "pcie_tx", Pace::Round), -1.0);
        QCOMPARE(siValue(*probe, "gpu_power", Pace::Round), 100.0);
        QCOMPARE(siValue(*probe, "gpu_power_average", Pace::Seldom), 100.0);
        QCOMPARE(siValue(*probe, "fan_speed", Pace::Seldom), -0.01);
        QCOMPARE(siValue(*probe, "fan_speed", Pace::Setting), 0.3);
        QVERIFY(siValue(*probe, "gpu_energy", Pace::Total).value() >= 0.0);
        QVERIFY(siValue(*probe, "nvlink_tx", Pace::Running).value() >= 0.0);
        std::vector<int> readings(probe->channels().size());
        for (const Reading& reading : probe->readings()) {
            for (const std::size_t channel : reading.channels)
                ++readings[channel];
        }
        QCOMPARE(std::count(readings.begin(), readings.end(), 1),
            static_cast<std::ptrdiff_t>(readings.size()));
    }

    // A value that a device lacks is no channel; one that fails is missing.
    void faults() {
        const auto library = nvml("lacking:0:0,failing:1:0,xid:1:0");
        const auto first = library->probe(library->gpus()[0]);
        QVERIFY(!siValue(*first, "fan_speed"));
        QVERIFY(!siValue(*first, "module_power"));
        const auto second = library->probe(library->gpus()[1]);
        QVERIFY(std::isnan(siValue(*second, "gpu_temperature").value()));
        QCOMPARE(siValue(*second, "gpu_power"), 200.0);
        QCOMPARE(siValue(*second, "xid"), 79.0);
        const auto incidents = second->incidents();
        QCOMPARE(incidents.size(), 1U);
        QCOMPARE(incidents.front().text, std::string("Xid 79 on GPU 1."));
        QVERIFY(second->incidents().empty());
    }

    void lostGpu() {
        const auto library = nvml("lost:1:0.2");
        const auto probe = library->probe(library->gpus()[1]);
        QCOMPARE(siValue(*probe, "gpu_power"), 200.0);
        QVERIFY(QTest::qWaitFor([&] { return std::isnan(siValue(*probe, "gpu_power").value()); }));
        for (const char* metric : {"gpu_power", "gpu_temperature", "mem_used", "nvlink_tx"})
            QVERIFY(std::isnan(siValue(*probe, metric).value()));
        QCOMPARE(probe->incidents().size(), 1U);
    }

    void oldDriver() {
        const auto library = nvml("old:0:0");
        const auto probe = library->probe(library->gpus()[1]);
        QCOMPARE(siValue(*probe, "gpu_power"), 200.0);
        QVERIFY(!siValue(*probe, "mem_power"));
        QVERIFY(!siValue(*probe, "pcie_tx"));
        QVERIFY(!siValue(*probe, "nvlink_tx"));
    }

    void noLibrary() {
        const auto absent = openNvml("/nowhere/libnvidia-ml.so.1");
        VERIFY_FAILS(absent, "cannot be loaded");
        qputenv("TRAINSCOPE_FAKE_FAULTS", "broken:0:0");
        const auto broken = openNvml(fake("fake_nvml"));
        VERIFY_FAILS(broken, "Unknown Error");
        qputenv("TRAINSCOPE_FAKE_FAULTS", "");
        qputenv("TRAINSCOPE_FAKE_GPUS", "0");
        QVERIFY(!openNvml(fake("fake_nvml")).hasValue());
    }

    // A container that has no /sys says so.
    void nodeWithoutSys() {
        QTemporaryDir root;
        const HostProbe host = openHostProbe(root.path().toStdString());
        QCOMPARE(host.notes.size(), 1U);
        VERIFY_SAYS(host.notes.front(), "/sys is not there");
    }

    // Two InfiniBand cards, a network card and a bridge made of software, two processors of which
    // one may not be read.
    void host() {
        QTemporaryDir root;
        const auto in
            = [&root](const char* path) { return root.filePath(QString::fromUtf8(path)); };
        writeText(in("sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data"), "1000\n");
        writeText(in("sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data"), "2000\n");
        writeText(in("sys/class/infiniband/mlx5_1/ports/1/counters/port_rcv_data"), "7\n");
        writeText(in("sys/class/net/eth0/device/vendor"), "0x8086\n");
        writeText(in("sys/class/net/eth0/statistics/rx_bytes"), "5000000000\n");
        writeText(in("sys/class/net/eth0/statistics/tx_bytes"), "1\n");
        writeText(in("sys/class/net/docker0/statistics/rx_bytes"), "1\n");
        writeText(in("sys/class/powercap/intel-rapl:0/name"), "package-0\n");
        writeText(in("sys/class/powercap/intel-rapl:0/energy_uj"), "999000000\n");
        writeText(in("sys/class/powercap/intel-rapl:0/max_energy_range_uj"), "1000000000\n");
        writeText(in("sys/class/powercap/intel-rapl:1/name"), "package-1\n");
        writeText(in("sys/class/powercap/intel-rapl:0:0/name"), "core\n");
        writeText(in("sys/class/hwmon/hwmon3/name"), "k10temp\n");
        writeText(in("sys/class/hwmon/hwmon3/temp1_input"), "61500\n");
        writeText(in("sys/class/hwmon/hwmon4/name"), "nvme\n");
        writeText(in("sys/class/hwmon/hwmon4/temp1_input"), "40000\n");
        writeText(in("proc/stat"), "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 1 1 1 1\n");
        const HostProbe host = openHostProbe(root.path().toStdString());
        QCOMPARE(host.notes.size(), 1U);
        VERIFY_SAYS(host.notes.front(), "package-1");
        Probe& probe = *host.probe;
        QCOMPARE(siValue(probe, "ib_rx"), 4000.0);
        QCOMPARE(siValue(probe, "ib_tx"), 8000.0);
        QCOMPARE(siValue(probe, "net_rx"), 5e9);
        QCOMPARE(siValue(probe, "cpu_temperature"), 61.5);
        QCOMPARE(probe.channels().size(), 8U); // 3 InfiniBand, 2 network, power, heat, load
        // The counter begins again after 1 kJ: 1 J to its end, and 1 J more.
        writeText(in("sys/class/powercap/intel-rapl:0/energy_uj"), "999000000\n");
        QElapsedTimer outer;
        outer.start();
        test::allRead(probe);
        QElapsedTimer inner;
        inner.start();
        writeText(in("sys/class/powercap/intel-rapl:0/energy_uj"), "1000000\n");
        writeText(in("proc/stat"), "cpu  175 0 100 825 0 0 0 0 0 0\n");
        const double least = static_cast<double>(inner.nsecsElapsed()) * 1e-9;
        const std::vector<double> values = test::allRead(probe);
        const double most = static_cast<double>(outer.nsecsElapsed()) * 1e-9;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::string& metric = probe.channels()[i].description.metric.name;
            if (metric == metric::kCpuPower)
                QVERIFY(values[i] >= 2.0 / most && values[i] <= 2.0 / least);
            if (metric == metric::kCpuUtilization)
                QCOMPARE(values[i], 0.75); // 25 of 100 ticks idle
        }
    }
};

TRAINSCOPE_TEST(tst_Devices)
#include "tst_Devices.moc"
