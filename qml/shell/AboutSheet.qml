import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

UiSheet {
    id: sheet

    required property Session session

    title: "Trainscope %1".arg(session.version)
    subtitle: "Power, heat, time and layout of distributed LLM training runs"
    preferredWidth: Theme.sheetWidth * 0.6
    preferredHeight: Theme.inspectorWidth

    ColumnLayout {
        anchors.fill: parent
        anchors.margins: Theme.spaceL
        spacing: Theme.spaceM

        UiSentence {
            text: "Free software under the Apache License, Version 2.0. It comes without warranty of any kind."
        }
        UiNote {
            Layout.fillWidth: true
            text: "Built with Qt (LGPL 3), SQLite (public domain), zlib (zlib), Zstandard, xxHash, ISA-L, libarchive, CLI11 (BSD), nlohmann JSON, fmt, yaml-cpp, toml11, Expat, HarfBuzz (MIT), Boost (BSL), Eigen (MPL 2), qpdf and cctz (Apache 2.0). Set in Inter (OFL) where it is installed."
            wrapMode: Text.Wrap
        }
        Item {
            Layout.fillHeight: true
        }
    }
    buttons: [
        UiButton {
            text: "Close"
            focus: true
            onClicked: sheet.close()
        }
    ]
}
