/** Chooses the document or user that a field links to, by its title. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { Link } from 'wouter'
import type { Collection, Json } from '../../../../client/index.js'
import { usersWord } from '../../../../client/protocol/model/collection.js'
import { useCollections } from '../../../frame/counts.js'
import { useAction } from '../../../frame/undo.js'
import { RemoveButton } from '../../../parts/button.js'
import { Chip } from '../../../parts/chips.js'
import { shortId } from '../../../parts/columns.js'
import { Icon } from '../../../parts/icons.js'
import { isMissing } from '../../../parts/states.js'
import { useSession } from '../../../session/context.js'
import type { ControlProps } from './control.js'
import { withItems } from './list-control.js'
import { type Choice, Picker } from './picker.js'
import { findSearchFields, findTitleField, formatTitle, formatUser } from './titles.js'

const maxChoices = 8

/** Reads what the picker offers and shows. */
function useTarget(to: string) {
  const { client, owner, acting } = useSession()
  const { data: collections } = useCollections()
  const collection = collections?.find(({ name }) => name === to)
  const isUsers = to === usersWord
  async function search(text: string): Promise<readonly Choice[]> {
    if (isUsers) {
      const where = text === '' ? {} : { or: ['email', 'data.name'].map((field) => ({ [field]: { icontains: text } })) }
      const { items } = await owner.users.list({ limit: maxChoices, where })
      return items.map((user) => ({ id: user.id, title: formatUser(user), hint: user.email }))
    }
    const fields = collection ? findSearchFields(collection) : []
    const where = {
      or: [...fields.map((field) => ({ [field]: { icontains: text } })), { id: { endswith: text.replace(/^…/, '') } }],
    }
    const { items } = await client
      .collection(to)
      .list({ limit: maxChoices, count: false, ...(text === '' ? {} : { where }) })
    return items.map((each) => ({ id: each.id, title: formatTitle(each as never, collection), hint: shortId(each.id) }))
  }
  async function read(id: string): Promise<Choice> {
    if (isUsers) {
      const user = await owner.users.get(id)
      return { id, title: formatUser(user), hint: user.email }
    }
    const document = await client.collection(to).get(id)
    return { id, title: formatTitle(document as never, collection), hint: shortId(id) }
  }
  const key = [to, acting?.user.id, collection?.updatedAt] as const
  return { isUsers, collection, key, search, read }
}

type Target = ReturnType<typeof useTarget>

export function LinkControl(props: ControlProps) {
  const { rule, value, onChange, placeholder } = props
  const target = useTarget(rule.to ?? '')
  if (!rule.many) return <OneLink {...props} target={target} />
  const ids = Array.isArray(value) ? value : []
  const change = (next: readonly Json[]) => onChange(withItems(value, next))
  return (
    <span className="in chips">
      {ids.map((each) => (
        <Chip
          key={String(each)}
          label={`Remove ${shortId(String(each))}`}
          onRemove={() => change(ids.filter((other) => other !== each))}
        >
          <Title target={target} id={String(each)} />
        </Chip>
      ))}
      <LinkPicker
        {...props}
        target={target}
        trigger="+ Add"
        triggerClass="link"
        onChoose={(id) => !ids.includes(id) && change([...ids, id])}
      />
      <small>{value === undefined ? placeholder : ''}</small>
    </span>
  )
}

function OneLink({ target, ...props }: ControlProps & { target: Target }) {
  const { rule, value, onChange, isRequired, label, isWrong, placeholder } = props
  const id = typeof value === 'string' && value !== '' ? value : undefined
  const place = target.isUsers ? '/users' : `/data/${encodeURIComponent(rule.to ?? '')}`
  return (
    <span className={`in ${isWrong ? 'wrong' : ''}`}>
      <LinkPicker
        {...props}
        target={target}
        trigger={
          id === undefined ? (
            <span className="ph grow">
              {placeholder ?? (target.isUsers ? 'Choose a user' : `Choose from ${rule.to}`)}
            </span>
          ) : (
            <Title target={target} id={id} withHint />
          )
        }
        triggerClass="in-button grow"
        onChoose={onChange}
      />
      {id === undefined ? null : (
        <Link href={`${place}/${id}`} className="icon-button small" aria-label={`Open ${label}`}>
          <Icon name="open" />
        </Link>
      )}
      {id === undefined || isRequired ? (
        <Icon name="down" />
      ) : (
        <RemoveButton label={`Clear ${label}`} onClick={() => onChange(undefined)} />
      )}
    </span>
  )
}

/** The title of a linked record, or its id where the record cannot be read. */
function Title({ target, id, withHint = false }: { target: Target; id: string; withHint?: boolean }) {
  const { data, error } = useQuery({
    queryKey: ['document', id, 'title', ...target.key],
    queryFn: () => target.read(id),
    staleTime: 30_000,
    retry: false,
  })
  if (error) {
    return (
      <span className="mono warn cut">
        {shortId(id)} {isMissing(error) ? 'does not exist' : 'cannot be read'}
      </span>
    )
  }
  return (
    <>
      {target.isUsers ? <Initials name={data?.title ?? ''} /> : null}
      <bdi className="cut">{data?.title ?? '…'}</bdi>
      {withHint && data && data.hint !== data.title ? <small className="cut">{data.hint}</small> : null}
    </>
  )
}

export function Initials({ name }: { name: string }) {
  const letters = name.split(/[\s.@]+/).flatMap((word) => word.slice(0, 1).toUpperCase())
  return (
    <i className="ava" aria-hidden="true">
      {letters.slice(0, 2).join('')}
    </i>
  )
}

interface LinkPickerProps extends Pick<ControlProps, 'id' | 'label' | 'rule'> {
  readonly target: Target
  readonly trigger: React.ReactNode
  readonly triggerClass: string
  readonly onChoose: (id: string) => void
}

function LinkPicker({ id, label, rule, target, trigger, triggerClass, onChoose }: LinkPickerProps) {
  const { client } = useSession()
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  const [, act] = useAction()
  const wanted = useDeferredValue(text.trim())
  const found = useQuery({
    queryKey: ['documents', rule.to, 'picker', wanted, ...target.key],
    queryFn: () => target.search(wanted),
    enabled: isOpen,
    placeholderData: keepPreviousData,
  })
  const field = target.collection && findNameOnly(target.collection)
  const create =
    field === undefined || wanted === ''
      ? undefined
      : {
          label: `Create “${wanted}” in ${rule.to}`,
          run: () => act(async () => onChoose((await client.collection(rule.to ?? '').create({ [field]: wanted })).id)),
        }
  return (
    <Picker
      {...{ id, label, trigger, triggerClass, text, onChoose, create }}
      place={rule.to ?? ''}
      choices={found.data ?? []}
      isBusy={found.isFetching}
      onText={setText}
      onOpen={setOpen}
    />
  )
}

/** Returns the field that suffices to create a document, if one does. */
function findNameOnly(collection: Collection): string | undefined {
  const field = findTitleField(collection)
  const isElseFree = Object.entries(collection.schema).every(
    ([name, { required, default: initial }]) => name === field || !required || initial !== undefined,
  )
  return isElseFree ? field : undefined
}
