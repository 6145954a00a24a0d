pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The findings of the runs in sentences; a click shows the evidence on the timeline.
ViewPage {
    id: view

    body: list
    exportable: controller

    FindingsController {
        id: controller

        views: view.session.views
        active: view.visible
    }
    UiBar {
        id: bar

        width: parent.width
        height: Theme.controlHeight + Theme.spaceM
        spacing: Theme.spaceS

        UiText {
            Layout.fillWidth: true
            text: controller.headline
            color: Theme.textSecondary
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }
        UiCheckBox {
            objectName: "allRuns"
            text: "All runs"
            checked: controller.allRuns
            onToggled: controller.allRuns = checked
        }
        UiButton {
            objectName: "copyAll"
            enabled: controller.findings.count > 0
            iconName: "copy"
            text: "Copy as text"
            onClicked: view.session.copyText(controller.findings.text())
        }
    }
    UiList {
        id: list

        anchors.top: bar.bottom
        anchors.bottom: parent.bottom
        anchors.horizontalCenter: parent.horizontalCenter
        width: Math.min(parent.width, Theme.sheetWidth)
        topMargin: Theme.spaceM
        bottomMargin: Theme.spaceM
        spacing: Theme.spaceS
        focus: true
        keyNavigationEnabled: true
        model: controller.findings
        Accessible.name: "Findings"
        Keys.onReturnPressed: controller.open(currentIndex)
        Keys.onEnterPressed: controller.open(currentIndex)
        Keys.onPressed: event => {
            event.accepted = event.matches(StandardKey.Copy);
            if (event.accepted)
                view.session.copyText(controller.findings.textOf(currentIndex));
        }
        delegate: FindingCard {
            width: list.width
            current: ListView.isCurrentItem && list.activeFocus
            onOpenWanted: {
                list.currentIndex = index;
                controller.open(index);
            }
            onCopyWanted: view.session.copyText(controller.findings.textOf(index))
        }
    }
    ReadingState {
        anchors.top: bar.bottom
        anchors.bottom: parent.bottom
        width: parent.width
        controller: controller
        emptyTitle: controller.emptyTitle
        emptyText: controller.emptyText
        below: true
    }
}
