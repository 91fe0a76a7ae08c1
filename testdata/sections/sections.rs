//! The same critical section in Rust, with USDT probes at its ends: a note in
//! the program says where each is and where its argument is, as
//! SystemTap's <sys/sdt.h> writes it.  Their provider is $PROVIDER, as of the
//! compilation.
use std::arch::asm;
use std::time::{Duration, Instant};

macro_rules! probe {
    ($name:literal, $arg:expr) => {
        unsafe {
            asm!(
                "990: nop",
                ".pushsection .note.stapsdt,\"\",\"note\"",
                ".balign 4",
                ".4byte 992f-991f, 994f-993f, 3",
                "991: .asciz \"stapsdt\"",
                "992: .balign 4",
                "993: .8byte 990b, _.stapsdt.base, 0",
                concat!(".asciz \"", env!("PROVIDER"), "\""),
                concat!(".asciz \"", $name, "\""),
                ".asciz \"8@%rax\"",
                "994: .balign 4",
                ".popsection",
                ".ifndef _.stapsdt.base",
                ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat",
                ".weak _.stapsdt.base",
                ".hidden _.stapsdt.base",
                "_.stapsdt.base: .space 1",
                ".size _.stapsdt.base, 1",
                ".popsection",
                ".endif",
                in("rax") $arg,
                options(att_syntax)
            )
        }
    };
}

#[inline(never)]
fn spin(time: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < time {
        std::hint::black_box(());
    }
    std::hint::black_box(());
}

#[inline(never)]
fn wait_for_disk() {
    spin(Duration::from_millis(30));
    std::hint::black_box(());
}

#[inline(never)]
fn import_block(height: u64) {
    probe!("import_start", height);
    spin(Duration::from_millis(1 + height * 5 % 9));
    if height == 42 {
        wait_for_disk();
    }
    probe!("import_end", height);
}

fn main() {
    for height in 36..52u64 {
        import_block(height);
        spin(Duration::from_millis(1));
    }
}
