# enter(state, code): loads all registers from the state, jumps to the code, which jumps to `leave`, which stores all registers.
# The state: 16 general registers, the flags at 128, 8 mask registers at 136, 32 vector registers at 200.
# Without WIDE, which is AVX-512: no mask registers, and 16 vector registers of 256 bits.
    .intel_syntax noprefix
    .globl enter, leave
enter:
    .irp r, rbx, rbp, r12, r13, r14, r15
    push \r
    .endr
    mov [rip + stack], rsp
    mov [rip + state], rdi
    mov [rip + code], rsi
    mov rax, rdi
    .if WIDE
    .irp n, 0,1,2,3,4,5,6,7
    kmovq k\n, [rax + 136 + 8 * \n]
    .endr
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    vmovdqu64 zmm\n, [rax + 200 + 64 * \n]
    .endr
    .else
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    vmovdqu ymm\n, [rax + 200 + 64 * \n]
    .endr
    .endif
    push qword ptr [rax + 128]
    popfq
    .set at, 8
    .irp r, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
    mov \r, [rax + at]
    .set at, at + 8
    .endr
    mov rax, [rax]
    jmp [rip + code]
leave:
    mov [rip + first], rax
    mov rax, [rip + state]
    .set at, 8
    .irp r, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
    mov [rax + at], \r
    .set at, at + 8
    .endr
    mov rcx, [rip + first]
    mov [rax], rcx
    mov rsp, [rip + stack]
    pushfq
    pop qword ptr [rax + 128]
    .if WIDE
    .irp n, 0,1,2,3,4,5,6,7
    kmovq [rax + 136 + 8 * \n], k\n
    .endr
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    vmovdqu64 [rax + 200 + 64 * \n], zmm\n
    .endr
    .else
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    vmovdqu [rax + 200 + 64 * \n], ymm\n
    .endr
    .endif
    vzeroupper
    .irp r, r15, r14, r13, r12, rbp, rbx
    pop \r
    .endr
    ret
    .data
stack: .quad 0
state: .quad 0
code: .quad 0
first: .quad 0
    .section .note.GNU-stack, "", @progbits
