#pragma once

#include <QAccessibleObject>
#include <QList>
#include <QPointer>
#include <QQuickItem>

namespace alcove::ui {

/// What assistive technology sees of a ListView: its live rows in the order of the model. Left to
/// itself Qt gives rows in the order they were made, with rows that wait for reuse among them. Role
/// and name are those of the list's `Accessible`.
class ListAccessible : public QAccessibleObject {
public:
    explicit ListAccessible(QQuickItem* list);

    /// To be called once, before the first window is made.
    static void install();

    QAccessibleInterface* parent() const override;
    QAccessibleInterface* child(int index) const override;
    int childCount() const override;
    int indexOfChild(const QAccessibleInterface* child) const override;
    QString text(QAccessible::Text text) const override;
    QAccessible::Role role() const override;
    QAccessible::State state() const override;
    QRect rect() const override;
    QAccessibleInterface* focusChild() const override;

private:
    QQuickItem* list() const { return static_cast<QQuickItem*>(object()); }
    QList<QQuickItem*> rows() const;
    QVariant attached(const char* property) const;
};

} // namespace alcove::ui
