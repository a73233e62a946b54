import { type DragEvent, type FormEvent, useState } from 'react'
import { Comments } from './comments'
import { Avatar, usePeople } from './people'
import { ignore, svc, useLive, useMutation } from './svc'
import type { Card } from './svc-types'

const columns = { todo: 'To do', doing: 'Doing', done: 'Done' }

export function Board({ id: board, members, userId }: { id: string; members: readonly string[]; userId: string }) {
  const [search, setSearch] = useState('')
  const [opened, setOpened] = useState('')
  const [problem, setProblem] = useState('')
  const { items: cards } = useLive('cards', { where: { board }, sort: 'position', limit: 500 })
  const { create, update, remove } = useMutation('cards')
  const people = usePeople(members)

  function add(event: FormEvent<HTMLFormElement>, column: Card['column']) {
    event.preventDefault()
    const title = String(new FormData(event.currentTarget).get('title'))
    event.currentTarget.reset()
    const position = Math.max(0, ...cards.map(({ data }) => data.position)) + 1
    create({ board, title, column, position, by: userId }).catch(ignore)
  }

  /** Moves the card before the one it is dropped on, or to the end of the column. */
  function drop(event: DragEvent<HTMLElement>, column: Card['column']) {
    event.preventDefault()
    const id = event.dataTransfer.getData('text/plain')
    const others = cards.filter((card) => card.id !== id && card.data.column === column)
    const target = event.target instanceof Element ? event.target.closest('li')?.dataset.id : undefined
    const at = target ? others.findIndex((card) => card.id === target) : others.length
    const [before, after] = [others[at - 1]?.data.position, others[at]?.data.position]
    const position = ((before ?? (after ?? 0) - 1) + (after ?? (before ?? 0) + 1)) / 2
    update(id, { column, position }).catch(ignore)
  }

  async function invite(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const email = String(new FormData(event.currentTarget).get('email'))
    event.currentTarget.reset()
    const [person] = (await svc.users.list({ where: { email }, limit: 1 })).items
    setProblem(person ? '' : `Nobody here has the address ${email}.`)
    if (person) await svc.collection('boards').update(board, { $append: { members: person.id } })
  }

  return (
    <main>
      <div className="tools">
        <input
          type="search"
          aria-label="Search"
          placeholder="Search"
          onChange={({ target }) => setSearch(target.value.toLowerCase())}
        />
        {members.map((member) => (
          <Avatar key={member} person={people.get(member)} />
        ))}
        <form onSubmit={(event) => void invite(event).catch(({ message }) => setProblem(message))}>
          <input name="email" type="email" aria-label="Add member" placeholder="Add a member by email" required />
        </form>
      </div>
      {problem && <p role="alert">{problem}</p>}
      <div className="columns">
        {(Object.keys(columns) as Card['column'][]).map((column) => (
          <section
            key={column}
            aria-label={columns[column]}
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => drop(event, column)}
          >
            <h2>{columns[column]}</h2>
            <ul>
              {cards.map(({ id, data }) =>
                data.column === column && data.title.toLowerCase().includes(search) ? (
                  <li
                    key={id}
                    data-id={id}
                    draggable
                    onDragStart={({ dataTransfer }) => dataTransfer.setData('text/plain', id)}
                  >
                    <button type="button" onClick={() => setOpened(id === opened ? '' : id)}>
                      {data.title}
                    </button>
                    <Avatar person={people.get(data.by)} />
                    <button type="button" aria-label={`Delete ${data.title}`} onClick={() => remove(id).catch(ignore)}>
                      ×
                    </button>
                    {id === opened && <Comments board={board} card={id} userId={userId} people={people} />}
                  </li>
                ) : null,
              )}
            </ul>
            <form onSubmit={(event) => add(event, column)}>
              <input name="title" aria-label={`New card in ${columns[column]}`} placeholder="New card" required />
            </form>
          </section>
        ))}
      </div>
    </main>
  )
}
