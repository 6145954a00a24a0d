// Network cards and their ways to the GPUs, from a tree that stands in for the kernel's.
//
//   root complex pci0000:40, node 0        pci0000:50, node 0      pci0000:c0, node 1
//     port 40:01.0                           port 50:01.0            port c0:01.0
//       switch 41:00.0                         mlx5_2                  eth1
//         42:00.0 GPU0   42:01.0 mlx5_0
//         42:02.0 switch 45:00.0
//           46:00.0 GPU1
//     port 40:02.0
//       mlx5_1, whose interface is ib1

#include "importers/record/NetworkCards.h"
#include "importers/record/PciTree.h"
#include "importers/record/ProbeReading.h"
#include "support/TestProgram.h"

#include <QObject>
#include <QTemporaryDir>
#include <QtTest>

#include <array>
#include <string>

using namespace trainscope;
using namespace trainscope::record;
using layout::PathKind;
using test::writeText;

namespace {

class FakeTree {
public:
    // A device of PCI, with its address as the kernel writes it.
    QString device(const char* way, int numa) {
        const QString folder = path("sys/devices/") + QString::fromUtf8(way);
        writeText(folder + QStringLiteral("/numa_node"), QByteArray::number(numa).constData());
        const QString links = path("sys/bus/pci/devices");
        QDir().mkpath(links);
        QFile::link(folder, links + QLatin1Char('/') + QFileInfo(folder).fileName());
        return folder;
    }
    void card(const char* name, const QString& device) {
        QDir().mkpath(path(name));
        QFile::link(device, path(name) + QStringLiteral("/device"));
    }
    void text(const char* at, const char* text) const { writeText(path(at), text); }
    [[nodiscard]] QString path(const char* at) const {
        return m_root.filePath(QString::fromUtf8(at));
    }
    [[nodiscard]] std::string root() const { return m_root.path().toStdString(); }

private:
    QTemporaryDir m_root;
};

layout::Topology twoGpus(PathKind between) {
    layout::TopologyDevice first;
    first.name = "GPU0";
    first.busId = "00000000:43:00.0"; // as NVML writes it
    layout::TopologyDevice second;
    second.index = 1;
    second.name = "GPU1";
    second.busId = "00000000:47:00.0";
    layout::Topology topology({first, second});
    topology.setPath(0, 1, {between, 0, false, std::nullopt});
    return topology;
}

void growTree(FakeTree& tree) {
    tree.device("pci0000:40/0000:40:01.0/0000:41:00.0/0000:42:00.0/0000:43:00.0", 0);
    tree.device(
        "pci0000:40/0000:40:01.0/0000:41:00.0/0000:42:02.0/0000:45:00.0/0000:46:00.0/0000:47:00.0",
        0);
    const QString near
        = tree.device("pci0000:40/0000:40:01.0/0000:41:00.0/0000:42:01.0/0000:44:00.0", 0);
    const QString port = tree.device("pci0000:40/0000:40:02.0/0000:48:00.0", 0);
    const QString other = tree.device("pci0000:50/0000:50:01.0/0000:51:00.0", 0);
    const QString far = tree.device("pci0000:c0/0000:c0:01.0/0000:c1:00.0", 1);
    tree.card("sys/class/infiniband/mlx5_0", near);
    tree.card("sys/class/infiniband/mlx5_1", port);
    tree.card("sys/class/infiniband/mlx5_2", other);
    tree.text("sys/class/infiniband/mlx5_0/ports/1/rate", "400 Gb/sec (4X NDR)\n");
    tree.text("sys/class/infiniband/mlx5_1/ports/1/rate", "200 Gb/sec (4X HDR)\n");
    tree.card("sys/class/net/ib1", port); // the same card
    tree.card("sys/class/net/eth1", far);
    tree.text("sys/class/net/eth1/speed", "25000\n");
    tree.text("sys/class/net/docker0/speed", "10000\n"); // made of software
}

} // namespace

class tst_NetworkCards : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cards() {
        FakeTree tree;
        growTree(tree);
        const layout::Topology topology = withNetworkCards(twoGpus(PathKind::NvLink), tree.root());
        QCOMPARE(topology.gpuCount(), 2U);
        QCOMPARE(topology.devices().size(), 6U);
        constexpr std::array names{"GPU0", "GPU1", "mlx5_0", "mlx5_1", "mlx5_2", "eth1"};
        for (std::size_t i = 0; i < names.size(); ++i)
            QCOMPARE(topology.devices()[i].name, std::string(names[i]));
        QCOMPARE(topology.devices()[2].busId, std::string("0000:44:00.0"));
        QCOMPARE(topology.devices()[2].bandwidth, 50e9); // 400 Gb/s
        QCOMPARE(topology.devices()[3].bandwidth, 25e9);
        QVERIFY(!topology.devices()[4].bandwidth);
        QCOMPARE(topology.devices()[5].bandwidth, 3.125e9); // 25 Gb/s
        QCOMPARE(topology.devices()[5].numa, 1);
        QCOMPARE(topology.devices()[0].numa, 0);
    }

    void ways() {
        FakeTree tree;
        growTree(tree);
        const layout::Topology topology = withNetworkCards(twoGpus(PathKind::NvLink), tree.root());
        QVERIFY(topology.path(0, 1).kind == PathKind::NvLink); // as the library says
        QVERIFY(topology.path(0, 2).kind == PathKind::Pix); // ports of one switch
        QVERIFY(topology.path(1, 2).kind == PathKind::Pxb); // behind a second switch
        QVERIFY(topology.path(0, 3).kind == PathKind::Phb); // another port of the processor
        QVERIFY(topology.path(0, 4).kind == PathKind::Node); // another root complex, the same node
        QVERIFY(topology.path(0, 5).kind == PathKind::Sys);
        QVERIFY(topology.path(5, 0).kind == PathKind::Sys);
        QCOMPARE(topology.nearestNic(0), std::optional<std::size_t>(2));
    }

    // Between GPUs it fills in what the library leaves open.
    void unknownWays() {
        FakeTree tree;
        growTree(tree);
        const layout::Topology topology = withNetworkCards(twoGpus(PathKind::Unknown), tree.root());
        QVERIFY(topology.path(0, 1).kind == PathKind::Pxb);
    }

    // Without a tree there are the GPUs alone.
    void noTree() {
        const layout::Topology topology = withNetworkCards(twoGpus(PathKind::NvLink), "/nowhere");
        QCOMPARE(topology.devices().size(), 2U);
        QVERIFY(topology.path(0, 1).kind == PathKind::NvLink);
    }

    void addresses() {
        FakeTree tree;
        growTree(tree);
        const PciTree pci(tree.root());
        QCOMPARE(pci.find("00000000:C1:00.0").value().address(), std::string("0000:c1:00.0"));
        QCOMPARE(pci.find("0000:c1:00.0").value().way.size(), 3U);
        QVERIFY(!pci.find("0000:c2:00.0"));
        QVERIFY(!pci.find(""));
        QVERIFY(!pci.find("no address"));
    }
};

TRAINSCOPE_TEST(tst_NetworkCards)
#include "tst_NetworkCards.moc"
