import { type FormEvent, useEffect, useState } from 'react'
import { Attachment } from './attachment'
import { Notices } from './notices'
import { svc, useLive, useMutation } from './svc'

export function Tasks({ email }: { email: string }) {
  const list = useLive('tasks', { sort: '-createdAt', limit: 100 })
  // Shows writes at once, and retries them until the service accepts or refuses them.
  const writes = useMutation('tasks', { retry: true })
  const [title, setTitle] = useState('')

  // Asks before leaving, because pending writes exist only in this page.
  useEffect(() => {
    if (!writes.isPending) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [writes.isPending])

  async function add(event: FormEvent) {
    event.preventDefault()
    setTitle('')
    // Restores a refused title, so that the user can correct it. The notices show the error.
    await writes.create({ title, done: false, by: email }).catch(() => setTitle((typed) => typed || title))
  }

  async function remove(id: string, fileId: string | undefined) {
    await writes.remove(id)
    if (fileId) await svc.files.delete(fileId)
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
      <Notices list={list} writes={writes} />
      <ul className="tasks" aria-busy={writes.isPending}>
        {list.items.map(({ id, data }) => (
          // Disables a new task until the service has saved it and assigned an id.
          <li key={id} className={id.startsWith('new-') ? 'saving' : data.done ? 'done' : undefined}>
            <fieldset disabled={id.startsWith('new-')}>
              <label>
                <input
                  type="checkbox"
                  checked={data.done}
                  onChange={({ target }) => void writes.update(id, { done: target.checked }).catch(ignoreShown)}
                />
                <span className="title">{data.title}</span>
                <small>{data.by}</small>
              </label>
              <Attachment task={data} attach={(file) => writes.update(id, file)} />
              <button
                type="button"
                className="quiet"
                aria-label={`Delete ${data.title}`}
                onClick={() => void remove(id, data.fileId).catch(ignoreShown)}
              >
                ×
              </button>
            </fieldset>
          </li>
        ))}
      </ul>
      {!list.isLoading && list.items.length === 0 && !list.error && <p className="empty">Nothing to do.</p>}
    </>
  )
}

/** Ignores an error that the notices show. */
function ignoreShown() {}
