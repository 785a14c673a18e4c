import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import { renderUi } from '@/lib/testing/render'
import { TagInput } from './tag-input'

function Example() {
  const [tags, setTags] = useState<string[]>([])
  const [draft, setDraft] = useState('')
  const onChange = (next: string[], text: string) => {
    setTags(next)
    setDraft(text)
  }
  const split = (text: string) => text.split(/[,;\n]/).flatMap((part) => part.trim() || [])
  return <TagInput label="Keys" name="keys" tags={tags} draft={draft} onChange={onChange} split={split} />
}

const tags = () => screen.queryAllByRole('listitem').map((item) => item.textContent)

describe('a tag input', () => {
  it('takes typed or pasted entries, and ignores empty text', async () => {
    await renderUi(<Example />)
    await userEvent.click(screen.getByLabelText('Keys'))
    await userEvent.keyboard('A1{Enter} ,{Enter}')
    await userEvent.paste('B2, C 3\nA1;')
    await userEvent.keyboard('D 4,')
    expect(tags()).toEqual(['A1', 'B2', 'C 3', 'D 4'])
  })

  it('keeps the draft on blur, so that no button moves away under the pointer', async () => {
    await renderUi(<Example />)
    await userEvent.type(screen.getByLabelText('Keys'), 'A1')
    await userEvent.tab()
    expect(tags()).toEqual([])
    expect(screen.getByLabelText('Keys')).toHaveValue('A1')
  })

  it('removes tags by button and by backspace, and keeps the focus', async () => {
    await renderUi(<Example />)
    await userEvent.type(screen.getByLabelText('Keys'), 'A1,B2,C3,')
    await userEvent.click(screen.getByRole('button', { name: 'A1 entfernen' }))
    expect(screen.getByLabelText('Keys')).toHaveFocus()
    await userEvent.keyboard('{Backspace}')
    expect(tags()).toEqual(['B2'])
  })
})
