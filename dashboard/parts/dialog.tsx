/** A modal, for what cannot be undone and for what is filled in whole. */
import { Dialog as Base } from '@base-ui/react/dialog'
import { type ReactNode, useState } from 'react'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  readonly isWide?: boolean
  /** Whether a click beside it leaves it open: what was typed is not lost by one. */
  readonly isKept?: boolean
}

export function Dialog({ title, onClose, children, isWide = false, isKept = false }: DialogProps) {
  return (
    <Base.Root open disablePointerDismissal={isKept} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className={`dialog ${isWide ? 'wide' : ''}`}>
          <Base.Title className="dialog-title">{title}</Base.Title>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

interface FormDialogProps extends Omit<DialogProps, 'children'> {
  readonly action: string
  readonly isBad?: boolean
  readonly isBusy: boolean
  readonly failure: ReactNode
  readonly onSubmit: (form: FormData) => void
  readonly children?: ReactNode
}

/** Whether a dialog is open that something was typed into: it goes with its page. */
export function isFormTyped(): boolean {
  return document.querySelector('.dialog-form[data-typed]') !== null
}

/** A reload, and a tab that is closed, take it along; the browser asks first. */
addEventListener('beforeunload', (event) => {
  if (isFormTyped()) event.preventDefault()
})

/** A dialog with fields, or just a question, and one button that does it. `Esc` asks before it drops what was typed. */
export function FormDialog(props: FormDialogProps) {
  const { title, action, isBad = false, isBusy, failure, onClose, onSubmit, children, isWide } = props
  const [isAsking, setAsking] = useState(false)
  const leave = () => (isAsking ? setAsking(false) : isFormTyped() ? setAsking(true) : onClose())
  return (
    <Dialog title={title} onClose={leave} isWide={isWide ?? false} isKept>
      <form
        className="dialog-form"
        onInput={({ currentTarget }) => {
          currentTarget.dataset.typed = ''
        }}
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit(new FormData(event.currentTarget))
        }}
      >
        {children}
        {failure}
        {isAsking ? (
          <div className="dialog-actions" role="alert">
            <span className="grow">Discard your changes?</span>
            <button type="button" className="button bad" onClick={onClose}>
              Discard
            </button>
            {/* biome-ignore lint/a11y/noAutofocus: it answers the key that was pressed. */}
            <button type="button" className="button plain" autoFocus onClick={() => setAsking(false)}>
              Keep editing
            </button>
          </div>
        ) : (
          <div className="dialog-actions">
            <button type="button" className="button plain" onClick={onClose}>
              Cancel
            </button>
            <button type="submit" className={`button ${isBad ? 'bad' : 'main'}`} disabled={isBusy}>
              {action}
            </button>
          </div>
        )}
      </form>
    </Dialog>
  )
}

/** A labelled control, and what there is to say about it. */
export function Field({ label, hint, children }: { label: ReactNode; hint?: ReactNode; children: ReactNode }) {
  return (
    <div className="field">
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children. */}
      <label>
        <span>{label}</span>
        {children}
      </label>
      {hint === undefined ? null : <small className="dim">{hint}</small>}
    </div>
  )
}
