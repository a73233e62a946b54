/** A list to search in and choose from, opened beside the pane. On a phone it is a sheet at the bottom. */
import { Popover } from '@base-ui/react/popover'
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { Icon } from '../../../parts/icons.js'
import { shortcut } from '../../../parts/words.js'

export interface Choice {
  readonly id: string
  readonly title: string
  /** Tells choices with the same title apart, such as a short id. */
  readonly hint: string
}

interface PickerProps {
  readonly id: string
  readonly label: string
  /** Words for what is searched, such as the name of the collection. */
  readonly place: string
  readonly trigger: ReactNode
  readonly triggerClass: string
  readonly choices: readonly Choice[]
  readonly text: string
  readonly onText: (text: string) => void
  readonly onChoose: (id: string) => void
  readonly onOpen: (isOpen: boolean) => void
  readonly isBusy: boolean
  /** Offers to create a record with the typed name. */
  readonly create?: { readonly label: string; readonly run: () => void } | undefined
}

export function Picker(props: PickerProps) {
  const { id, label, trigger, triggerClass, onOpen, onText } = props
  const [isOpen, setOpen] = useState(false)
  const change = (next: boolean) => {
    setOpen(next)
    onOpen(next)
    if (next) onText('')
  }
  return (
    <Popover.Root open={isOpen} onOpenChange={change}>
      <Popover.Trigger id={id} className={triggerClass}>
        <span className="hidden">{label}:</span>
        {trigger}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="menu-place picker-place" side="left" align="start" sideOffset={8}>
          <Popover.Popup className="menu picker" aria-label={label}>
            <Choices {...props} onClose={() => change(false)} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

function Choices(props: PickerProps & { readonly onClose: () => void }) {
  const { place, choices, text, onText, onChoose, isBusy, create, onClose } = props
  const list = useId()
  const [at, setAt] = useState(0)
  const marked = Math.min(at, choices.length - 1)
  const choose = (id: string | undefined) => {
    if (id === undefined) return
    onChoose(id)
    onClose()
  }
  const makeOne = () => {
    create?.run()
    onClose()
  }
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setAt(Math.min(Math.max(marked + step, 0), choices.length - 1))
    else if (event.key !== 'Enter') return
    else if (event.metaKey || event.ctrlKey) makeOne()
    else choose(choices[marked]?.id)
    event.preventDefault()
  }
  return (
    <>
      <span className="in">
        <Icon name="search" />
        <input
          className="grow"
          role="combobox"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={choices[marked] && `${list}-${marked}`}
          aria-label={`Search ${place}`}
          placeholder="Search"
          autoComplete="off"
          value={text}
          onKeyDown={onKey}
          onChange={({ target }) => {
            setAt(0)
            onText(target.value)
          }}
        />
        <small>{place}</small>
      </span>
      <div role="listbox" id={list} aria-label={place} className="picker-list">
        {choices.map(({ id, title, hint }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the search field.
          <div
            key={id}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === marked}
            className="opt"
            onClick={() => choose(id)}
            onPointerMove={() => setAt(index)}
          >
            <bdi className="grow cut">
              <Marked text={title} wanted={text} />
            </bdi>
            <span className="mono dim cut">{hint}</span>
            {index === marked ? <kbd>Enter</kbd> : null}
          </div>
        ))}
      </div>
      {choices.length === 0 ? <p className="opt dim">{isBusy ? '…' : 'Nothing matches'}</p> : null}
      {create ? (
        <button type="button" className="opt picker-create" onClick={makeOne}>
          <span className="link grow cut">{create.label}</span>
          <kbd>{shortcut('Enter')}</kbd>
        </button>
      ) : null}
    </>
  )
}

/** Marks the first place of the searched text. */
function Marked({ text, wanted }: { text: string; wanted: string }) {
  const at = wanted === '' ? -1 : text.toLowerCase().indexOf(wanted.toLowerCase())
  if (at < 0) return text
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + wanted.length)}</mark>
      {text.slice(at + wanted.length)}
    </>
  )
}
