/** Hides, orders and pins the columns of a list. */
import { Popover } from '@base-ui/react/popover'
import { useState } from 'react'
import { Grip } from '../../../parts/grip.js'
import { Icon } from '../../../parts/icons.js'
import type { GridColumn, GridLayout } from './layout.js'

export function ColumnsMenu({ layout }: { layout: GridLayout }) {
  const [wanted, setWanted] = useState('')
  const { columns } = layout
  const matching = columns.filter(({ title }) => title.toLowerCase().includes(wanted.trim().toLowerCase()))
  const groups = [
    { title: 'Pinned', own: matching.filter(({ isShown, isPinned }) => isShown && isPinned) },
    { title: 'Shown', own: matching.filter(({ isShown, isPinned }) => isShown && !isPinned) },
    { title: 'Hidden', own: matching.filter(({ isShown }) => !isShown) },
  ]
  const shown = columns.filter(({ isShown }) => isShown).length
  return (
    <Popover.Root onOpenChange={(isOpen) => isOpen && setWanted('')}>
      <Popover.Trigger className="button plain">
        Columns{' '}
        <span className="mono">
          {shown} of {columns.length}
        </span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="menu-place" side="bottom" align="end" sideOffset={4}>
          <Popover.Popup className="menu columns-menu" aria-label="Columns">
            <span className="in">
              <Icon name="search" />
              <input
                className="grow"
                aria-label="Find a column"
                placeholder="Find a column"
                value={wanted}
                onChange={({ target }) => setWanted(target.value)}
              />
            </span>
            <div className="columns-list">
              {groups
                .filter(({ own }) => own.length > 0)
                .map(({ title, own }) => (
                  <fieldset key={title}>
                    <legend>{title}</legend>
                    {own.map((column) => (
                      <ColumnRow key={column.name} column={column} layout={layout} />
                    ))}
                  </fieldset>
                ))}
            </div>
            <div className="columns-foot">
              <button
                type="button"
                className="link"
                onClick={() =>
                  layout.show(
                    columns.map(({ name }) => name),
                    true,
                  )
                }
              >
                Show all
              </button>
              <button type="button" className="link" disabled={layout.isUsual} onClick={layout.reset}>
                Reset
              </button>
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

function ColumnRow({ column, layout }: { column: GridColumn; layout: GridLayout }) {
  const { name, title, typeWord, isShown, isPinned } = column
  const names = layout.columns.map((each) => each.name)
  const move = (by: number, grip: HTMLElement) => {
    layout.move(name, by)
    // The row moves, which takes the focus from its button.
    requestAnimationFrame(() => grip.focus())
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the grip does the same by keyboard.
    <div
      className="opt"
      onDragOver={(event) => event.dataTransfer.types.includes('text/svc-column') && event.preventDefault()}
      onDrop={(event) => {
        const moved = event.dataTransfer.getData('text/svc-column')
        layout.move(moved, names.indexOf(name) - names.indexOf(moved))
      }}
    >
      <Grip label={title} kind="text/svc-column" item={name} onMove={move} />
      <label className="grow cut">
        <input type="checkbox" checked={isShown} onChange={({ target }) => layout.show([name], target.checked)} />{' '}
        {title} <span className="mono dim">{typeWord}</span>
      </label>
      {isShown ? (
        <button
          type="button"
          className="link"
          aria-pressed={isPinned}
          aria-label={`${isPinned ? 'Unpin' : 'Pin'} ${title}`}
          onClick={() => layout.pin(name, !isPinned)}
        >
          {isPinned ? <Icon name="pin" /> : 'Pin'}
        </button>
      ) : null}
    </div>
  )
}
