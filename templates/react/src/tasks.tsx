import { type FormEvent, useState } from 'react'
import { Outbox } from './outbox'
import { useLive, useMutation, useOutbox } from './svc'

export function Tasks({ email }: { email: string }) {
  const list = useLive('tasks', { sort: '-createdAt', limit: 100 })
  // Shows writes at once, keeps them in the browser, and sends them in order.
  const { create, update, remove } = useMutation('tasks')
  const { pending, sending } = useOutbox()
  const [title, setTitle] = useState('')

  function add(event: FormEvent) {
    event.preventDefault()
    setTitle('')
    // Restores a title that was refused and discarded, so that the user can correct it.
    create({ title, done: false, by: email }).catch(() => setTitle((typed) => typed || title))
  }

  return (
    <>
      <form className="add" onSubmit={add}>
        <input
          aria-label="New task"
          placeholder="What needs to be done?"
          value={title}
          onChange={({ target }) => setTitle(target.value)}
          required
        />
        <button type="submit" className="main">
          Add
        </button>
      </form>
      <Outbox list={list} />
      <ul className="tasks" aria-busy={pending.length > 0 || sending !== undefined}>
        {list.items.map(({ id, data }) => (
          <li key={id} className={id.startsWith('new-') ? 'saving' : data.done ? 'done' : undefined}>
            <label>
              <input
                type="checkbox"
                checked={data.done}
                onChange={({ target }) => void update(id, { done: target.checked }).catch(ignoreShown)}
              />
              <span className="title">{data.title}</span>
              <small>{data.by}</small>
            </label>
            <button
              type="button"
              className="quiet"
              aria-label={`Delete ${data.title}`}
              onClick={() => void remove(id).catch(ignoreShown)}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      {list.status !== 'offline' && !list.isLoading && list.items.length === 0 && !list.error && (
        <p className="empty">Nothing to do.</p>
      )}
    </>
  )
}

/** Ignores an error that the outbox shows. */
function ignoreShown() {}
