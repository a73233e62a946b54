import type { FormEvent } from 'react'
import { Avatar, type People } from './people'
import { ignoreShown, useLive, useMutation } from './svc'

interface CommentsProps {
  board: string
  card: string
  userId: string
  people: People
}

export function Comments({ board, card, userId, people }: CommentsProps) {
  const { items } = useLive('comments', { where: { card }, sort: 'createdAt' })
  const { create, error } = useMutation('comments', { retry: true })

  function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget).get('text'))
    event.currentTarget.reset()
    create({ board, card, text, by: userId }).catch(ignoreShown)
  }

  return (
    <div className="comments">
      {items.map(({ id, data }) => (
        <p key={id}>
          <Avatar person={people.get(data.by)} /> {data.text}
        </p>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form onSubmit={add}>
        <input name="text" aria-label="Comment" placeholder="Comment" required />
      </form>
    </div>
  )
}
