import type { FormEvent } from 'react'
import { Avatar, type People } from './people'
import { ignore, useLive, useMutation } from './svc'

interface CommentsProps {
  board: string
  card: string
  userId: string
  people: People
}

export function Comments({ board, card, userId, people }: CommentsProps) {
  const { items } = useLive('comments', { where: { card }, sort: 'createdAt' })
  const { create } = useMutation('comments')

  function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget).get('text'))
    event.currentTarget.reset()
    create({ board, card, text, by: userId }).catch(ignore)
  }

  return (
    <div className="comments">
      {items.map(({ id, data }) => (
        <p key={id}>
          <Avatar person={people.get(data.by)} /> {data.text}
        </p>
      ))}
      <form onSubmit={add}>
        <input name="text" aria-label="Comment" placeholder="Comment" required />
      </form>
    </div>
  )
}
